import type { Readable } from 'node:stream';
import { requireGranted } from '../access/guard.ts';
import { decide } from '../access/policy.ts';
import { isSignedIn, type Viewer } from '../access/viewer.ts';
import { ForgeError, MovedError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Tx } from '../database/database.ts';
import type { GitStorage, RefUpdate, Snapshot, WriteSession } from '../git/model.ts';
import { uploadPack } from '../git/wire/upload-pack.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { CreationRequest } from '../repositories/creation/model.ts';
import type { PushToCreate } from '../repositories/creation/push-to-create.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import {
  type Pushable,
  type Pushes,
  type PushResult,
  requireWritable,
  WHY_REFUSED,
} from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { PushReport, PushRequest } from './receive-pack.ts';

/** What a push goes to: a repository, or one that it makes. */
export type PushTarget =
  | { readonly kind: 'existing'; readonly repository: Repository }
  | { readonly kind: 'new'; readonly creation: CreationRequest };

/** The bytes that follow the commands of a push. */
interface Pack {
  readonly stream: Readable;
  readonly onProgress: (text: Uint8Array) => void;
}

interface PushWork {
  readonly viewer: Viewer;
  readonly request: PushRequest;
  readonly repository: Pushable;
  readonly alsoInTransaction?: (tx: Tx) => Promise<void>;
}

/** git over HTTP: who may fetch and push, and what is done then. */
export class Transport {
  readonly #repositories: Repositories;
  readonly #git: GitStorage;
  readonly #pushes: Pushes;
  readonly #pushToCreate: PushToCreate;

  constructor(dependencies: {
    repositories: Repositories;
    git: GitStorage;
    pushes: Pushes;
    pushToCreate: PushToCreate;
  }) {
    this.#repositories = dependencies.repositories;
    this.#git = dependencies.git;
    this.#pushes = dependencies.pushes;
    this.#pushToCreate = dependencies.pushToCreate;
  }

  /**
   * @throws ForgeError `unauthenticated` for anybody unknown, whether there is such a repository or not;
   *   `not_found`, `forbidden`
   */
  async openForFetch(viewer: Viewer, path: RepositoryPath): Promise<Repository> {
    try {
      return (await this.#repositories.get(viewer, path, REPOSITORY.fetch)).repository;
    } catch (error) {
      // git sends a password only after a 401, so what is hidden answers 401 here and 404 in the API.
      // What the caller may see under another name is not hidden: git is sent on.
      if (!isMissing(error) || viewer.accountId !== null) throw error;
      throw new ForgeError(
        { kind: 'unauthenticated', what: 'sign in to see this repository' },
        { cause: error },
      );
    }
  }

  /**
   * What a push to `path` goes to.
   *
   * @throws ForgeError as `openForFetch`, and `archived`, and `forbidden` for a mirror or without the right
   */
  async openForPush(viewer: Viewer, path: RepositoryPath): Promise<PushTarget> {
    try {
      return { kind: 'existing', repository: await this.#openThere(viewer, path) };
    } catch (error) {
      if (!isMissing(error) || !isSignedIn(viewer)) throw error;
      const creation = await this.#pushToCreate.find(viewer, path);
      if (creation !== undefined) return { kind: 'new', creation };
      // Another request may have made it just now.
      return { kind: 'existing', repository: await this.#openThere(viewer, path) };
    }
  }

  async #openThere(viewer: Viewer, path: RepositoryPath): Promise<Repository> {
    const visible = await this.openForFetch(viewer, path);
    requireWritable(visible);
    const held = await this.#repositories.get(viewer, path, REPOSITORY.fetch);
    requireGranted(decide(viewer, REPOSITORY.push, held), REPOSITORY.push);
    return held.repository;
  }

  /** Starts git's own upload-pack on the repository as it is now. */
  async fetch(
    repository: Repository,
    request: { advertise: boolean; protocol?: string; input?: Readable; signal: AbortSignal },
  ): ReturnType<typeof uploadPack> {
    const snapshot = await this.#git.open(repository.id);
    const { gitDir } = await this.#git.mirror(snapshot);
    return uploadPack({ gitDir, ...request });
  }

  open(repository: Repository): Promise<Snapshot> {
    return this.#git.open(repository.id);
  }

  /**
   * Takes in the pack and moves the refs, each on its own merits unless the push is atomic. A repository that is to be
   * made appears along with its first ref, and is not there where none is taken.
   *
   * @param pack what follows the commands; read to its end, whatever becomes of it
   */
  async push(viewer: Viewer, target: PushTarget, request: PushRequest, pack: Pack): Promise<PushReport> {
    if (target.kind === 'existing') {
      return this.#pushTo({ viewer, request, repository: target.repository }, pack);
    }
    await using pending = await this.#repositories.creation.begin(target.creation);
    const alsoInTransaction = (tx: Tx) => pending.publish(tx);
    const { repository } = pending;
    return await this.#pushTo({ viewer, request, repository, alsoInTransaction }, pack);
  }

  async #pushTo(work: PushWork, pack: Pack): Promise<PushReport> {
    await using session = await this.#git.write(work.repository.id);
    try {
      await ingest(session, work.request, pack);
      return await this.#move(session, work);
    } catch (error) {
      const report = reportOf(error, work.request);
      if (report === undefined) throw error;
      return report;
    }
  }

  async #move(session: WriteSession, work: PushWork): Promise<PushReport> {
    const { viewer, request, repository, alsoInTransaction } = work;
    const refused = await refuseUnusable(session, request);
    const updates = request.updates.filter((update) => !refused.has(update.ref) && !isIdle(update));
    const atomic = request.capabilities.has('atomic');
    const push = {
      repository,
      updates,
      atomic,
      pusher: viewer,
      via: 'push' as const,
      ...(alsoInTransaction === undefined ? {} : { alsoInTransaction }),
    };
    const results =
      atomic && refused.size > 0
        ? updates.map(({ ref }): PushResult => ({ ref, outcome: 'refused', why: WHY_REFUSED.atomic }))
        : await this.#pushes.push(session, push);
    const why = new Map(
      results.map((result) => [result.ref, result.outcome === 'moved' ? null : result.why]),
    );
    const refs = request.updates.map(({ ref }) => ({
      ref,
      refused: refused.get(ref) ?? why.get(ref) ?? null,
    }));
    return { unpackError: null, refs };
  }
}

function isMissing(error: unknown): boolean {
  const isElsewhere = error instanceof MovedError;
  return error instanceof ForgeError && error.failure.kind === 'not_found' && !isElsewhere;
}

/** Deletes a ref that is not there: what whoever deletes it once more wants is the case already. */
function isIdle(update: RefUpdate): boolean {
  return update.old === null && update.new === null;
}

async function ingest(session: WriteSession, request: PushRequest, pack: Pack): Promise<void> {
  // Deleting refs needs no objects, and git sends no pack with it.
  if (request.updates.every((update) => update.new === null)) return;
  const onProgress = request.capabilities.has('quiet') ? {} : { onProgress: pack.onProgress };
  const { shallow } = request;
  await session.ingestPack(pack.stream, { bytesMax: LIMITS.pushPackBytesMax, shallow, ...onProgress });
}

/** The refs that cannot move whatever the rules say: ref -> why. */
async function refuseUnusable(session: WriteSession, request: PushRequest): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  const seen = new Set<string>();
  for (const { ref } of request.updates) {
    if (seen.has(ref)) refused.set(ref, 'a push may move a ref only once');
    seen.add(ref);
  }
  for (const update of request.updates.filter(isIdle)) {
    if (session.base.ref(update.ref) !== undefined) refused.set(update.ref, WHY_REFUSED.stale);
  }
  const arriving = request.updates.filter((update) => update.new !== null);
  const tips = [...new Set(arriving.flatMap(({ new: tip }) => (tip === null ? [] : [tip])))];
  const disconnected = new Set(await session.findDisconnected(tips));
  for (const update of arriving) {
    const why = await whyUnusable(session, update, disconnected, request.shallow.length > 0);
    if (why !== undefined) refused.set(update.ref, why);
  }
  return refused;
}

async function whyUnusable(
  session: WriteSession,
  update: RefUpdate,
  disconnected: ReadonlySet<string>,
  isShallow: boolean,
): Promise<string | undefined> {
  if (update.new === null) return undefined;
  if (disconnected.has(update.new)) {
    return isShallow
      ? 'shallow update not allowed: its history is not all here'
      : 'missing necessary objects';
  }
  if (!update.ref.startsWith('refs/heads/')) return undefined;
  const info = await session.objects.info(update.new);
  return info?.type === 'commit' ? undefined : 'a branch can only point to a commit';
}

/** A refusal of the whole, told for each ref; undefined for a fault, which is nothing to tell. */
function reportOf(error: unknown, request: PushRequest): PushReport | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { failure } = error;
  const isPackProblem = failure.kind === 'invalid' || failure.kind === 'too_large';
  const why = isPackProblem ? 'unpacker error' : error.message;
  const refs = request.updates.map(({ ref }) => ({ ref, refused: why }));
  return { unpackError: isPackProblem ? error.message : null, refs };
}
