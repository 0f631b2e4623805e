import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { type CommitPerson, signatureAt } from '../../git/commit-builder.ts';
import { encodeCommit, parseCommit } from '../../git/format/commit-format.ts';
import { newObject } from '../../git/format/new-object.ts';
import { isOid } from '../../git/format/object-format.ts';
import { isReadByGit } from '../../git/format/tree-paths.ts';
import type { GitStorage, NewBlob, Oid, Signature, TreeMode, WriteSession } from '../../git/model.ts';
import { editTree, type TreeEdit } from '../../git/objects/tree-edit.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { ObjectKeeper, ObjectsWrite } from '../../hosting/repositories/refs/keep-objects.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { FileContent, FileContents } from '../contents/file-contents.ts';
import type { MomentInZone } from '../contents/model.ts';
import { signedCommit } from '../verification/model.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { GIT_DATA } from './actions.ts';
import { type BlobEncoding, EncodedContent } from './blob-body.ts';
import type { WrittenCommit } from './model.ts';
import { type NamedObject, requireObjects } from './required-objects.ts';

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
  readonly entry: Exclude<NewEntry['entry'], { content: unknown }> | { mode: TreeMode; content: NewBlob };
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly git: GitStorage;
  readonly objectKeeper: ObjectKeeper;
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
    return new EncodedContent(() => this.#use.git.draftBlobs(id, objectFormat));
  }

  /** @throws ForgeError as `ObjectKeeper.keep` */
  async writeBlob(
    viewer: SignedIn,
    repository: Repository,
    { content, place, encoding }: { content: EncodedContent; place: string; encoding: BlobEncoding },
  ): Promise<Oid> {
    return content.use(place, encoding, (blob) =>
      this.#keep(viewer, repository, async (session) => {
        const object = stored(session, blob);
        if ('file' in object) await session.addBlobs([object]);
        else await session.writeObjects([object]);
        return object.oid;
      }),
    );
  }

  /** @throws ForgeError as `ObjectKeeper.keep`; `invalid` for bad paths and ids */
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
      const blobOf = new Map(sent.map((content, index) => [content, blobs[index] ?? new Uint8Array()]));
      const ready = entries.map((each) => withBlob(each, blobOf));
      return this.#keep(viewer, repository, async (session) => {
        const root = await treeToEdit(session, base);
        return writeTree(session, root, ready).catch(rejectMissing);
      });
    });
  }

  /** @throws ForgeError as `ObjectKeeper.keep`; `invalid` for bad ids, names and dates */
  async writeCommit(
    viewer: SignedIn,
    repository: Repository,
    wanted: NewCommitOptions,
  ): Promise<WrittenCommit> {
    const caller = await this.#use.accounts.commitPerson(viewer.accountId);
    const now = Date.now();
    const author = personAt(wanted.author ?? { ...caller, moment: undefined }, now);
    const committer = wanted.committer === undefined ? author : personAt(wanted.committer, now);
    const commit = await this.#keep(viewer, repository, async (session) => {
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

  #keep<T>(pusher: SignedIn, repository: Repository, build: ObjectsWrite<T>['build']): Promise<T> {
    return this.#use.objectKeeper.keep({ repository, pusher, origin: { kind: 'api' }, build });
  }
}

function withBlob({ path, entry }: NewEntry, blobOf: ReadonlyMap<FileContent, NewBlob>): ReadyEntry {
  if (entry === null || 'oid' in entry) return { path, entry };
  return {
    path,
    entry: { mode: entry.mode, content: blobOf.get(entry.content) ?? new Uint8Array() },
  };
}

function stored(session: WriteSession, blob: NewBlob) {
  return blob instanceof Uint8Array ? newObject(session.base.objectFormat, 'blob', blob) : blob;
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

async function writeTree(
  session: WriteSession,
  root: Oid | null,
  entries: readonly ReadyEntry[],
): Promise<Oid> {
  await requireObjects(session, entries.flatMap(namedBy));
  const blobs = entries.flatMap(({ entry }) =>
    entry !== null && 'content' in entry ? [stored(session, entry.content)] : [],
  );
  const inOrder = blobs.values();
  const edits = entries.map(({ path, entry }): TreeEdit => {
    if (entry === null) return { kind: 'remove', path };
    const oid = 'oid' in entry ? entry.oid : (inOrder.next().value?.oid ?? '');
    return { kind: 'put', path, mode: entry.mode, oid, replacesFolders: true };
  });
  const tree = await editTree(session.objects, session.base.objectFormat, root, edits);
  await session.addBlobs(blobs.filter((blob) => 'file' in blob));
  const objects = [...blobs.filter((blob) => 'content' in blob), ...tree.objects];
  // Files that git itself reads can harm those who check them out, so git checks them as in a push.
  if (edits.some(({ kind, path }) => kind === 'put' && isReadByGit(path)))
    await session.writeChecked(objects);
  else await session.writeObjects(objects);
  return tree.root;
}

/** A submodule is a commit of another repository. */
function namedBy({ path, entry }: ReadyEntry): readonly NamedObject[] {
  if (entry === null || 'content' in entry || entry.mode === '160000') return [];
  return [{ oid: entry.oid, type: entry.mode === '040000' ? 'tree' : 'blob', field: `sha of ${path}` }];
}

/** The repository exists. The body names something that does not. */
function rejectMissing(error: unknown): never {
  if (error instanceof ForgeError && error.failure.kind === 'not_found')
    throw invalid(`no ${error.failure.what}`);
  throw error;
}

function personAt({ moment, ...person }: StatedPerson, nowMs: number): Signature {
  return { ...signatureAt(person, nowMs), ...moment };
}
