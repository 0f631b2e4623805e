import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, isFailure } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { encodeCommit, parseCommit } from '../../git/format/commit-format.ts';
import type { Oid, Signature, TreeMode } from '../../git/format/model.ts';
import { newObject } from '../../git/format/new-object.ts';
import { isOid } from '../../git/format/object-format.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { type CommitPerson, signatureAt } from '../../git/trees/commit-builder.ts';
import { type BlobObject, blobObject, editedTree, writeTree } from '../../git/trees/write-tree.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type {
  ObjectsWrite,
  UnreferencedObjects,
} from '../../hosting/repositories/refs/unreferenced-objects.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { type FileContent, FileContents } from '../contents/file-contents.ts';
import type { MomentInZone } from '../contents/model.ts';
import { signedCommit } from '../verification/model.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { GIT_DATA } from './actions.ts';
import { type BlobEncoding, EncodedContent } from './blob-body.ts';
import type { WrittenCommit } from './model.ts';
import { type NamedObject, requireObjects } from './required-objects.ts';
import { Utf8Bytes } from './utf8-bytes.ts';

/** A change of a tree: an object or new content at a path, or null to remove what is there. */
export interface NewEntry {
  readonly path: string;
  readonly entry:
    | { readonly mode: TreeMode; readonly oid: Oid }
    | { readonly mode: '100644' | '100755' | '120000'; readonly content: FileContent }
    | null;
}

export interface NewTree {
  /** id of a tree, or of a commit with the tree; undefined: an empty tree */
  readonly base: Oid | undefined;
  readonly entries: readonly NewEntry[];
}

export interface StatedPerson extends CommitPerson {
  /** undefined: now */
  readonly moment: MomentInZone | undefined;
}

export interface NewCommitOptions {
  readonly message: string;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** undefined: the caller */
  readonly author: StatedPerson | undefined;
  /** undefined: as the author */
  readonly committer: StatedPerson | undefined;
  readonly signature: string | undefined;
}

interface ReadyEntry {
  readonly path: string;
  readonly entry:
    | { readonly mode: TreeMode; readonly oid: Oid }
    | { readonly mode: TreeMode; readonly blob: BlobObject }
    | null;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly git: Pick<GitStorage, 'writes'>;
  readonly unreferencedObjects: UnreferencedObjects;
  readonly verifier: SignatureVerifier;
}

/** Writes blobs, trees and commits that no ref reaches yet. */
export class GitDataWriter {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds a repository that the viewer may change, before the server reads a body, which may be large.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async find(viewer: Viewer, path: RepositoryPath): Promise<Repository> {
    return (await this.#use.repositories.get(viewer, path, GIT_DATA.write)).repository;
  }

  /** Returns a place for the content of a blob. Discard it when the request ends. */
  blobContent({ id, objectFormat }: Repository): EncodedContent {
    return new EncodedContent(() => this.#use.git.writes.draftBlobs(id, objectFormat));
  }

  /** Returns a place for the contents of the files in a tree. Discard it when the request ends. */
  treeContents({ id, objectFormat }: Repository): FileContents {
    const form = { newDecoder: () => new Utf8Bytes(), listedIn: 'Tree' };
    return new FileContents(this.#use.git.writes.draftBlobs(id, objectFormat), form);
  }

  /** @throws ForgeError as `UnreferencedObjects.store` */
  async writeBlob(
    viewer: SignedIn,
    repository: Repository,
    { content, place, encoding }: { content: EncodedContent; place: string; encoding: BlobEncoding },
  ): Promise<Oid> {
    return content.use(place, encoding, (blob) =>
      this.#store(viewer, repository, async (session) => {
        const object = blobObject(repository.objectFormat, blob);
        if ('isStored' in object) await session.addBlobs([object]);
        else await session.writeObjects([object]);
        return object.oid;
      }),
    );
  }

  /** @throws ForgeError as `UnreferencedObjects.store`; `invalid` for bad paths and ids */
  async writeTree(
    viewer: SignedIn,
    repository: Repository,
    { base, entries }: NewTree,
    contents: FileContents,
  ): Promise<Oid> {
    const sent = entries.flatMap(({ entry }) =>
      entry !== null && 'content' in entry ? [entry.content] : [],
    );
    return contents.use(sent, (blobs) => {
      const inOrder = blobs.values();
      const ready = entries.map(({ path, entry }): ReadyEntry => {
        if (entry === null || 'oid' in entry) return { path, entry };
        const blob = blobObject(repository.objectFormat, inOrder.next().value ?? new Uint8Array());
        return { path, entry: { mode: entry.mode, blob } };
      });
      return this.#store(viewer, repository, async (session) => {
        const root = await treeToEdit(session, base);
        return editAndWrite(session, root, ready).catch(rejectMissing);
      });
    });
  }

  /** @throws ForgeError as `UnreferencedObjects.store`; `invalid` for bad ids, names and dates */
  async writeCommit(
    viewer: SignedIn,
    repository: Repository,
    wanted: NewCommitOptions,
  ): Promise<WrittenCommit> {
    const caller = await this.#use.accounts.commitPerson(viewer.accountId);
    const now = currentTimeMs();
    const author = personAt(wanted.author ?? { ...caller, moment: undefined }, now);
    const committer = wanted.committer === undefined ? author : personAt(wanted.committer, now);
    const commit = await this.#store(viewer, repository, async (session) => {
      await requireObjects(session, [
        { oid: wanted.tree, type: 'tree', field: 'tree' },
        ...wanted.parents.map((oid): NamedObject => ({ oid, type: 'commit', field: 'parents' })),
      ]);
      const { signature, ...unsigned } = { ...wanted, author, committer };
      const format = session.base.objectFormat;
      const content = encodeCommit(format, signature === undefined ? unsigned : { ...unsigned, signature });
      const object = newObject(format, 'commit', content);
      await session.writeObjects([object]);
      return parseCommit(format, object.oid, content);
    });
    const verification = await this.#use.verifier.verifyOne(viewer, signedCommit(commit));
    return { repository, commit, verification };
  }

  #store<T>(pusher: SignedIn, repository: Repository, build: ObjectsWrite<T>['build']): Promise<T> {
    return this.#use.unreferencedObjects.store({ repository, pusher, origin: { kind: 'api' }, build });
  }
}

/** Returns the tree that the id names, directly or by a commit; null without one. */
async function treeToEdit(session: WriteSession, base: Oid | undefined): Promise<Oid | null> {
  if (base === undefined) return null;
  const isPossible = isOid(session.base.objectFormat, base);
  const info = isPossible ? await session.objects.info(base) : undefined;
  if (info?.type === 'commit') return (await session.objects.readCommit(base)).tree;
  await requireObjects(session, [{ oid: base, type: 'tree', field: 'base_tree' }]);
  return base;
}

async function editAndWrite(
  session: WriteSession,
  root: Oid | null,
  entries: readonly ReadyEntry[],
): Promise<Oid> {
  await requireObjects(session, entries.flatMap(namedBy));
  const tree = editedTree(session.objects, session.base.objectFormat, root);
  for (const { path, entry } of entries) {
    if (entry === null) await tree.remove(path);
    else await tree.put(path, { mode: entry.mode, oid: oidOf(entry) }, { replacesFolders: true });
  }
  const written = tree.write();
  const blobs = entries.flatMap(({ entry }) => (entry !== null && 'blob' in entry ? [entry.blob] : []));
  await writeTree(session, written, { blobs });
  return written.root;
}

function oidOf(entry: NonNullable<ReadyEntry['entry']>): Oid {
  return 'blob' in entry ? entry.blob.oid : entry.oid;
}

/** A submodule is a commit of another repository. */
function namedBy({ path, entry }: ReadyEntry): readonly NamedObject[] {
  if (entry === null || 'blob' in entry || entry.mode === '160000') return [];
  return [{ oid: entry.oid, type: entry.mode === '040000' ? 'tree' : 'blob', field: `sha of ${path}` }];
}

/** The repository exists. The body names something that does not. */
function rejectMissing(error: unknown): never {
  if (isFailure(error, 'not_found')) throw invalid(`no ${error.failure.what}`);
  throw error;
}

function personAt({ moment, ...person }: StatedPerson, nowMs: number): Signature {
  return { ...signatureAt(person, nowMs), ...moment };
}
