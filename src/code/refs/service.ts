import type { RepositoryAction } from '../../api/access/actions.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import type { Paging } from '../../base/core/paging.ts';
import type { Oid } from '../../git/format/model.ts';
import { isOid } from '../../git/format/object-format.ts';
import { isOwnRef, OWN_REFS, refNameProblem, visibleRefs } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { changeRefs } from '../../hosting/repositories/refs/change-refs.ts';
import { isSamePage, pageOfRefs } from '../../hosting/repositories/refs/page-of-refs.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { changedSince } from '../../http/conditional.ts';
import { REF } from './actions.ts';
import type { FoundRef, FoundRefs, NamedRef, NewRef, RefMove } from './model.ts';

const ORIGIN = { kind: 'api' } as const;

interface Dependencies {
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
}

/** Reads, creates, moves and deletes refs of any namespace, except those of the server itself. */
export class Refs {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds a page of the refs whose full names begin with `prefix`, without reading objects.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    prefix: string,
    paging: Paging,
    action: RepositoryAction = REF.read,
  ): Promise<FoundRefs> {
    const { repository, snapshot } = await this.#open(viewer, path, action);
    const { items: refs, total } = pageOfRefs(visiblePart(snapshot), prefix, paging);
    return { repository, snapshot, prefix, refs, total, paging };
  }

  /** Reads what a page shows of the objects. */
  readAll({ refs, prefix, ...of }: FoundRefs): Promise<readonly NamedRef[]> {
    return Promise.all(refs.map(({ name, oid }) => this.read({ ...of, name: `${prefix}${name}`, oid })));
  }

  /**
   * Finds one ref without reading an object.
   *
   * @param name full name
   * @throws ForgeError as `Repositories.get`, and `not_found` for a missing ref
   */
  async find(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    action: RepositoryAction = REF.read,
  ): Promise<FoundRef> {
    const { repository, snapshot } = await this.#open(viewer, path, action);
    const oid = visibleRef(snapshot, name);
    if (oid === undefined) throw notFound('ref');
    return { repository, snapshot, name, oid };
  }

  async read({ repository, snapshot, name, oid }: FoundRef): Promise<NamedRef> {
    const info = await snapshot.objects.info(oid);
    return { repository, name, oid, type: info?.type ?? 'commit' };
  }

  /**
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `invalid` for a bad name, one in use, or an object that is
   *   not there with everything that it reaches; `precondition_failed`
   */
  async create(viewer: SignedIn, path: RepositoryPath, { name, oid, seen }: NewRef): Promise<NamedRef> {
    const problem = refNameProblem(name);
    return this.#change(viewer, path, REF.create, async (session) => {
      if (seen !== undefined && !isSamePage(visiblePart(session.base), seen.prefix, seen))
        throw changedSince('the list');
      if (problem !== undefined) throw invalid(`${problem} [ref: ${name}]`);
      if (session.base.ref(name) !== undefined) throw invalid(`Reference already exists [ref: ${name}]`);
      await requireWhole(session, oid);
      return { updates: [{ ref: name, old: null, new: oid }], moved: { name, oid } };
    });
  }

  /**
   * @throws ForgeError as `create`; `invalid` for a missing ref, and for a move that is not forced and not a fast-forward;
   *   `precondition_failed`
   */
  async move(viewer: SignedIn, path: RepositoryPath, move: RefMove): Promise<NamedRef> {
    const { name, oid } = move;
    return this.#change(viewer, path, REF.move, async (session) => {
      const old = requireRef(session.base, move);
      if (old === oid) return { updates: [], moved: { name, oid } };
      await requireWhole(session, oid);
      if (!move.isForced) await requireFastForward(session, old, oid);
      return { updates: [{ ref: name, old, new: oid }], moved: { name, oid } };
    });
  }

  /**
   * @param seen as for `move`
   * @throws ForgeError as `Repositories.get` and `changeRefs`; `invalid` for a missing ref; `precondition_failed`
   */
  async delete(
    viewer: SignedIn,
    path: RepositoryPath,
    ref: { readonly name: string; readonly seen: Oid | undefined },
  ): Promise<void> {
    await this.#change(viewer, path, REF.delete, async ({ base }) => {
      const oid = requireRef(base, ref);
      return { updates: [{ ref: ref.name, old: oid, new: null }], moved: { name: ref.name, oid } };
    });
  }

  async #change(
    viewer: SignedIn,
    path: RepositoryPath,
    action: RepositoryAction,
    build: (session: WriteSession) => Promise<BuiltMove>,
  ): Promise<NamedRef> {
    const { repository } = await this.#use.repositories.get(viewer, path, action);
    const push = { repository, pusher: viewer, origin: ORIGIN };
    this.#use.pushes.requireOpen(push);
    return changeRefs(
      { git: this.#use.git, pushes: this.#use.pushes },
      {
        ...push,
        build: async (session) => {
          const { updates, moved } = await build(session);
          return { updates, result: await this.read({ repository, snapshot: session.base, ...moved }) };
        },
      },
    );
  }

  async #open(
    viewer: Viewer,
    path: RepositoryPath,
    action: RepositoryAction,
  ): Promise<{ repository: Repository; snapshot: Snapshot }> {
    const { repository } = await this.#use.repositories.get(viewer, path, action);
    return { repository, snapshot: await this.#use.git.refs.open(repository.id) };
  }
}

interface BuiltMove {
  readonly updates: Parameters<Pushes['push']>[1]['updates'];
  readonly moved: Pick<NamedRef, 'name' | 'oid'>;
}

/** The refs of a snapshot that clients see. */
function visiblePart(snapshot: Snapshot): Pick<Snapshot, 'refs' | 'countRefs'> {
  return {
    refs: (prefix) => visibleRefs(snapshot, prefix),
    countRefs(prefix) {
      if (isOwnRef(prefix)) return 0;
      const hidden = OWN_REFS.startsWith(prefix) ? snapshot.countRefs(OWN_REFS) : 0;
      return snapshot.countRefs(prefix) - hidden;
    },
  };
}

function visibleRef(snapshot: Snapshot, name: string): Oid | undefined {
  return isOwnRef(name) ? undefined : snapshot.ref(name);
}

/** @throws ForgeError `invalid`, `precondition_failed` */
function requireRef(
  base: Snapshot,
  { name, seen }: { readonly name: string; readonly seen: Oid | undefined },
): Oid {
  const oid = visibleRef(base, name);
  if (oid === undefined) throw invalid(`Reference does not exist [ref: ${name}]`);
  if (seen !== undefined && oid !== seen) throw changedSince(name);
  return oid;
}

/**
 * Requires an object with everything that it reaches. Objects that no ref reached may have been deleted since they were
 * written, and the answer is the same for them and for objects that never existed.
 *
 * @throws ForgeError `invalid`
 */
async function requireWhole(session: WriteSession, oid: Oid): Promise<void> {
  const isPossible = isOid(session.base.objectFormat, oid);
  const missing = isPossible ? await session.findDisconnected([oid]) : [oid];
  if (missing.length > 0)
    throw invalid('Object does not exist: sha, or an object that it refers to, is missing');
}

/** @throws ForgeError `invalid` */
async function requireFastForward(session: WriteSession, old: Oid, oid: Oid): Promise<void> {
  const infos = await Promise.all([old, oid].map((each) => session.objects.info(each)));
  const areCommits = infos.every((info) => info?.type === 'commit');
  if (areCommits && (await session.isReached({ ancestor: old, descendant: oid }))) return;
  throw invalid('Update is not a fast forward: set force to move the ref all the same');
}
