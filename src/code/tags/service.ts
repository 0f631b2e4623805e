import type { RepositoryAction } from '../../api/access/actions.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { conflict, invalid, notFound } from '../../base/core/failure.ts';
import { eachAtOnce } from '../../base/core/fairness/each-at-once.ts';
import { offsetOf, type Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Oid } from '../../git/format/model.ts';
import { newObject } from '../../git/format/new-object.ts';
import { branchRef, tagNameProblem } from '../../git/format/ref-names.ts';
import { encodeTag, parseTag } from '../../git/format/tag-format.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { signatureAt } from '../../git/trees/commit-builder.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { changeRefs } from '../../hosting/repositories/refs/change-refs.ts';
import { isSamePage, pageOfRefs, type SeenPage } from '../../hosting/repositories/refs/page-of-refs.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { UnreferencedObjects } from '../../hosting/repositories/refs/unreferenced-objects.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { changedSince } from '../../http/conditional.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { CONTENTS_LIMITS } from '../contents/limits.ts';
import { requireObjects } from '../git-data/required-objects.ts';
import { signedTag } from '../verification/model.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { TAG } from './actions.ts';
import { TAG_LIMITS } from './limits.ts';
import type { NewTag, NewTagObject, TagObject, TagRef } from './model.ts';

const FOLDER = 'refs/tags/';
const ORIGIN = { kind: 'api' } as const;
const OID_PATTERN = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A tag before an object is read. */
export interface FoundTag {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly oid: Oid;
}

/** A page of the tags before an object is read. */
export interface FoundTags extends SeenPage {
  readonly permitted: PermittedRepository;
  readonly repository: Repository;
  readonly snapshot: Snapshot;
}

type Ref = Pick<FoundTag, 'name' | 'oid'>;

const BY_NUMBER = new Intl.Collator('en', { numeric: true });

interface Dependencies {
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly pushes: Pushes;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly unreferencedObjects: UnreferencedObjects;
  readonly verifier: SignatureVerifier;
}

/** Reads, creates and deletes tags. */
export class Tags {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds a page of the tags, by name, without reading objects.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    paging: Paging,
    action: RepositoryAction = TAG.read,
  ): Promise<FoundTags> {
    const opened = await this.#open(viewer, path, action);
    const { items: refs, total } = pageOfRefs(opened.snapshot, FOLDER, paging);
    return { ...opened, refs, total, paging };
  }

  /**
   * As `list`, with the highest names first, in which numbers are compared by their value. Of very many tags, by name.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async listHighest(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<FoundTags> {
    const opened = await this.#open(viewer, path);
    const { snapshot } = opened;
    const total = snapshot.countRefs(FOLDER);
    if (total > TAG_LIMITS.tagsSortedMax) return this.list(viewer, path, paging);
    const all = pageOfRefs(snapshot, FOLDER, { page: 1, limit: TAG_LIMITS.tagsSortedMax }).items;
    const sorted = all.toSorted((one, other) => BY_NUMBER.compare(other.name, one.name));
    const offset = offsetOf(paging);
    return { ...opened, refs: sorted.slice(offset, offset + paging.limit), total, paging };
  }

  /** Reads the objects of a page. */
  readAll({ refs, ...of }: FoundTags): Promise<readonly TagRef[]> {
    return Promise.all(refs.map((ref) => this.read({ ...of, ...ref })));
  }

  /**
   * Lists the newest tags, by their dates or those of their commits. Names have no dates, so only the tags with the highest
   * names are read, with numbers in names compared by their value.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async listNewest(
    viewer: Viewer,
    path: RepositoryPath,
    { readMax, limit }: { readonly readMax: number; readonly limit: number },
  ): Promise<{ readonly repository: Repository; readonly tags: readonly TagRef[] }> {
    const { repository, snapshot } = await this.#open(viewer, path, TAG.read);
    const refs: Ref[] = [];
    for (const [name, oid] of snapshot.refs(FOLDER)) refs.push({ name: name.slice(FOLDER.length), oid });
    const highest = refs.toSorted((one, other) => BY_NUMBER.compare(other.name, one.name)).slice(0, readMax);
    const read: TagRef[] = [];
    await eachAtOnce(highest, TAG_LIMITS.tagsReadAtOnceMax, async (ref) => {
      read.push(await this.read({ repository, snapshot, ...ref }));
    });
    const tags = read.toSorted(
      (one, other) => (other.seconds ?? 0) - (one.seconds ?? 0) || BY_NUMBER.compare(other.name, one.name),
    );
    return { repository, tags: tags.slice(0, limit) };
  }

  /**
   * Finds a tag without reading objects.
   *
   * @throws ForgeError as `Repositories.get`, and `not_found` for a missing tag
   */
  async find(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    action: RepositoryAction = TAG.read,
  ): Promise<FoundTag> {
    const { repository, snapshot } = await this.#open(viewer, path, action);
    return { repository, snapshot, name, oid: requireTag(snapshot, name) };
  }

  async read({ repository, snapshot, name, oid }: FoundTag): Promise<TagRef> {
    const { objects } = snapshot;
    const target = snapshot.peeled(`${FOLDER}${name}`);
    const tag = { repository, name, oid, target: target ?? oid };
    if (target !== undefined) {
      const { message, tagger } = await objects.readTag(oid);
      return { ...tag, message, seconds: tagger?.seconds ?? null, maker: tagger?.name ?? '' };
    }
    const info = await objects.info(oid);
    if (info?.type !== 'commit') return { ...tag, message: '', seconds: null, maker: '' };
    const { message, committer } = await objects.readCommit(oid);
    return { ...tag, message, seconds: committer.seconds, maker: committer.name };
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` for an id that is not that of an annotated tag */
  async getObject(viewer: Viewer, path: RepositoryPath, oid: string): Promise<TagObject> {
    const { repository, snapshot } = await this.#open(viewer, path);
    const info = OID_PATTERN.test(oid) ? await snapshot.objects.info(oid) : undefined;
    if (info?.type !== 'tag') throw notFound('tag');
    const tag = await snapshot.objects.readTag(oid);
    return { repository, tag, verification: await this.#use.verifier.verifyOne(viewer, signedTag(tag)) };
  }

  /**
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `invalid` for a bad name or message; `not_found` for a
   *   missing target; `conflict` for a name in use; `precondition_failed`
   * @param seen rejects the tag if this page of the list has changed since the viewer saw it
   */
  async create(viewer: SignedIn, path: RepositoryPath, wanted: NewTag, seen?: FoundTags): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, TAG.create);
    this.#use.pushes.requireOpen({ repository, origin: ORIGIN });
    const ref = `${FOLDER}${wanted.name}`;
    const problem = tagNameProblem(wanted.name);
    if (problem !== undefined) throw invalid(`${problem} [tag: ${wanted.name}]`);
    requireMessage(wanted.message);
    const write = { repository, pusher: viewer, origin: ORIGIN };
    await this.#change(write, async (session) => {
      if (seen !== undefined && !isSamePage(session.base, FOLDER, seen))
        throw changedSince('the list of tags');
      const target = await requireTagTarget(session, repository, wanted.target);
      if (session.base.ref(ref) !== undefined) {
        throw conflict(`the tag ${wanted.name} exists already`);
      }
      const oid = await this.#tagObject(session, viewer, wanted, target);
      return { updates: [{ ref, old: null, new: oid }], result: undefined };
    });
  }

  /**
   * Writes an annotated tag that no ref reaches yet.
   *
   * @throws ForgeError as `Repositories.get` and `UnreferencedObjects.store`; `invalid` for a bad name, message or id
   */
  async createObject(viewer: SignedIn, path: RepositoryPath, wanted: NewTagObject): Promise<TagObject> {
    const { repository } = await this.#use.repositories.get(viewer, path, TAG.create);
    const { name, object, type, message } = wanted;
    const problem = tagNameProblem(name);
    if (problem !== undefined) throw invalid(`${problem} [tag: ${name}]`);
    requireMessage(message);
    const { moment, ...person } = wanted.tagger ?? {
      ...(await this.#use.accounts.commitPerson(viewer.accountId)),
      moment: undefined,
    };
    const tagger = { ...signatureAt(person, currentTimeMs()), ...moment };
    const write = { repository, pusher: viewer, origin: ORIGIN };
    const tag = await this.#use.unreferencedObjects.store({
      ...write,
      build: async (session) => {
        await requireObjects(session, [{ oid: object, type, field: 'object' }]);
        const format = session.base.objectFormat;
        const content = encodeTag(format, { object, type, name, tagger, message });
        const written = newObject(format, 'tag', content);
        await session.writeObjects([written]);
        return parseTag(format, written.oid, content);
      },
    });
    return { repository, tag, verification: await this.#use.verifier.verifyOne(viewer, signedTag(tag)) };
  }

  /** Returns what the ref points to: the commit, or a new annotated tag of it. */
  async #tagObject(
    session: WriteSession,
    viewer: SignedIn,
    { name, message }: NewTag,
    target: Oid,
  ): Promise<Oid> {
    if (message === '') return target;
    const tagger = signatureAt(await this.#use.accounts.commitPerson(viewer.accountId), currentTimeMs());
    const format = session.base.objectFormat;
    const text = `${message.trim()}\n`;
    const content = encodeTag(format, { object: target, type: 'commit', name, tagger, message: text });
    const tag = newObject(format, 'tag', content);
    await session.writeObjects([tag]);
    return tag.oid;
  }

  /**
   * @param seen rejects a tag that has moved since the viewer saw it there; absent: any object
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `not_found` for a missing tag; `precondition_failed`
   */
  async delete(viewer: SignedIn, path: RepositoryPath, name: string, seen?: Oid): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, TAG.delete);
    this.#use.pushes.requireOpen({ repository, origin: ORIGIN });
    const write = { repository, pusher: viewer, origin: ORIGIN };
    await this.#change(write, async ({ base }) => {
      const oid = requireTag(base, name);
      if (seen !== undefined && oid !== seen) throw changedSince(`the tag ${name}`);
      return { updates: [{ ref: `${FOLDER}${name}`, old: oid, new: null }], result: undefined };
    });
  }

  #change(
    write: Omit<Parameters<typeof changeRefs<undefined>>[1], 'build'>,
    build: Parameters<typeof changeRefs<undefined>>[1]['build'],
  ): Promise<undefined> {
    return changeRefs({ git: this.#use.git, pushes: this.#use.pushes }, { ...write, build });
  }

  async #open(
    viewer: Viewer,
    path: RepositoryPath,
    action: RepositoryAction = TAG.read,
  ): Promise<{ permitted: PermittedRepository; repository: Repository; snapshot: Snapshot }> {
    const permitted = await this.#use.repositories.get(viewer, path, action);
    const { repository } = permitted;
    return { permitted, repository, snapshot: await this.#use.git.refs.open(repository.id) };
  }
}

/** @throws ForgeError `not_found` */
function requireTag(snapshot: Snapshot, name: string): Oid {
  const oid = snapshot.ref(`${FOLDER}${name}`);
  if (oid === undefined) throw notFound('tag');
  return oid;
}

/** @throws ForgeError `invalid` */
function requireMessage(message: string): void {
  if (message.length > CONTENTS_LIMITS.commitMessageCharsMax) {
    throw invalid(`[Message]: MaxSize(${CONTENTS_LIMITS.commitMessageCharsMax})`);
  }
  if (message.includes('\0')) throw invalid('[Message]: a message cannot hold a NUL');
}

/**
 * Resolves the target of a new tag: a branch, tag or commit; '' for the default branch.
 *
 * @throws ForgeError `not_found`
 */
export async function requireTagTarget(
  session: WriteSession,
  { defaultBranch }: Pick<Repository, 'defaultBranch'>,
  name: string,
): Promise<Oid> {
  const target = await resolveRef(session.base, name === '' ? branchRef(defaultBranch) : name);
  if (target === undefined) throw notFound('target');
  // Only an id can lead to a commit that no ref reaches any more.
  const [incomplete] = await session.findDisconnected([target.commit]);
  if (incomplete !== undefined) throw notFound('target');
  return target.commit;
}
