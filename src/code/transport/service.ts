import { requireGranted } from '../../api/access/guard.ts';
import { decide } from '../../api/access/policy.ts';
import { isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { type FailureKind, ForgeError, notFound } from '../../base/core/failure.ts';
import { diskFull, isDiskFull } from '../../base/core/files/disk-full.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { BRANCHES } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { RepositoryId, Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Transfers } from '../../git/interface/transfers.ts';
import type { UnpackedLimits, WriteSession } from '../../git/interface/writes.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { PushToCreate } from '../../hosting/repositories/creation/push-to-create.ts';
import { getForGit, isMissing } from '../../hosting/repositories/git-clients.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Pushable, PushOrigin } from '../../hosting/repositories/refs/push-rules.ts';
import { type Pushes, type PushResult, WHY_REJECTED } from '../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { pushableOf } from '../../hosting/wikis/authorize.ts';
import type { Wiki } from '../../hosting/wikis/model.ts';
import type { Wikis } from '../../hosting/wikis/service.ts';
import { findDeniedRefs } from './denied-refs.ts';
import {
  type AcceptedProposal,
  acceptEach,
  isProposal,
  NO_ANSWERS,
  type ProposalAnswers,
  type Proposals,
} from './proposals.ts';
import { type PushReport, type PushRequest, unstoredPush } from './receive-pack.ts';
import { type Remark, Remarks } from './remarks.ts';
import { type FetchSource, type PushTarget, targetId } from './targets.ts';

/** The bytes after the commands of a push. */
interface Pack {
  readonly stream: AsyncIterable<Buffer>;
  readonly onProgress: (text: Uint8Array) => void;
}

interface PushWork {
  readonly viewer: Viewer;
  readonly request: PushRequest;
  readonly repository: Pushable;
  readonly pushes: Pick<Pushes, 'push'>;
  /** absent unless the repository existed before */
  readonly permitted?: PermittedRepository;
  readonly origin: PushOrigin;
  /** refs that the pusher may not name: ref -> why */
  readonly denied: ReadonlyMap<string, string>;
  readonly alsoInTransaction?: (tx: Tx) => Promise<void>;
}

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'transfers'>;
  readonly pushes: Pushes;
  readonly wikis: Wikis;
  readonly wikiPushes: Pushes;
  readonly pushToCreate: PushToCreate;
}

/** Serves fetches and pushes of git over HTTP. */
export class Transport {
  readonly #use: Dependencies;
  readonly #remarks = new Remarks();
  #proposals: Proposals | undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Adds what a feature says after a push. */
  addRemarks(...sources: readonly Remark[]): void {
    this.#remarks.add(...sources);
  }

  /** Lets a feature accept the commits that pushes propose. */
  registerProposals(proposals: Proposals): void {
    this.#proposals = proposals;
  }

  /**
   * Looks up a repository or a wiki to fetch from.
   *
   * @throws ForgeError `unauthenticated` for a caller who is not signed in, whether the repository is hidden or
   *   missing; `not_found`, `forbidden`
   */
  async openForFetch(viewer: Viewer, path: RepositoryPath): Promise<FetchSource> {
    const wiki = await this.#use.wikis.findForGit(viewer, path, 'fetch');
    if (wiki === undefined) return (await this.#find(viewer, path)).repository;
    if (wiki.id === null) throw notFound('wiki', { say: 'this wiki has no page yet' });
    return { id: wiki.id, objectFormat: wiki.permitted.repository.objectFormat };
  }

  #find(viewer: Viewer, path: RepositoryPath): Promise<PermittedRepository> {
    return getForGit(this.#use.repositories, viewer, path, REPOSITORY.fetch);
  }

  /**
   * Looks up the target of a push to `path` and authorizes the push, before its commands and its pack are read.
   *
   * @throws ForgeError as `openForFetch`, and `archived`, and `forbidden` for a mirror or without permission to push or
   *   to propose commits
   */
  async openForPush(viewer: Viewer, path: RepositoryPath): Promise<PushTarget> {
    const wiki = await this.#use.wikis.findForGit(viewer, path, 'push');
    if (wiki !== undefined) return { kind: 'wiki', wiki };
    try {
      return await this.#openExisting(viewer, path);
    } catch (error) {
      if (!isMissing(error) || !isSignedIn(viewer)) throw error;
      const creation = await this.#use.pushToCreate.find(viewer, path);
      if (creation !== undefined) return { kind: 'new', creation };
      // Another request may have created it in between.
      return this.#openExisting(viewer, path);
    }
  }

  async #openExisting(viewer: Viewer, path: RepositoryPath): Promise<PushTarget> {
    const permitted = await this.#find(viewer, path);
    const { repository } = permitted;
    this.#use.pushes.requireOpen({ repository, origin: { kind: 'push' } });
    const decision = decide(viewer, REPOSITORY.push, permitted, repository.owner.kind);
    if (decision === 'granted') return { kind: 'existing', permitted, mayWrite: true };
    const hasOtherRights =
      this.#proposals?.mayPropose(viewer, permitted) === true ||
      (await this.#maintains(viewer, repository.id));
    if (!hasOtherRights) requireGranted(decision, REPOSITORY.push);
    return { kind: 'existing', permitted, mayWrite: false };
  }

  /** Whether the viewer may update branches of a repository without permission to write it. */
  async #maintains(viewer: Viewer, repositoryId: RepositoryId): Promise<boolean> {
    if (!isSignedIn(viewer)) return false;
    const { database, pushes } = this.#use;
    return (await pushes.findMaintained(database.reader, viewer, { repositoryId })).size > 0;
  }

  /** How fetches and pushes get to the objects. */
  get transfers(): Transfers {
    return this.#use.git.transfers;
  }

  open({ id }: FetchSource): Promise<Snapshot> {
    return this.#use.git.refs.open(id);
  }

  /** Opens what a push goes to; null if it does not exist yet. */
  async openTarget(target: PushTarget): Promise<Snapshot | null> {
    const id = targetId(target);
    return id === null ? null : this.#use.git.refs.open(id);
  }

  /**
   * Stores the pack and moves the refs, each by itself unless the push is atomic. A new repository appears with its
   * first ref; if no ref moves, it does not appear.
   *
   * @param pack the bytes after the commands; read to their end unless the pusher may move none of the refs
   */
  async push(viewer: Viewer, target: PushTarget, request: PushRequest, pack: Pack): Promise<PushReport> {
    const { pushes } = this.#use;
    if (target.kind === 'wiki') return this.#pushToWiki(viewer, target.wiki, request, pack);
    if (target.kind === 'existing') {
      const { permitted, mayWrite } = target;
      const { repository } = permitted;
      const maintained = mayWrite
        ? new Set<string>()
        : await this.#findMaintained(viewer, repository.id, request);
      const denied = findDeniedRefs(request, { mayWrite, maintained });
      const origin = mayWrite ? ({ kind: 'push' } as const) : ({ kind: 'push', maintains: true } as const);
      return this.#pushTo({ viewer, request, repository, pushes, permitted, origin, denied }, pack);
    }
    await using pending = await this.#use.repositories.creation.begin(target.creation);
    const { repository } = pending;
    const origin = { kind: 'creation', via: 'push' } as const;
    const alsoInTransaction = (tx: Tx) => pending.publish(tx);
    const denied = new Map<string, string>();
    return await this.#pushTo(
      { viewer, request, repository, pushes, origin, denied, alsoInTransaction },
      pack,
    );
  }

  /** A wiki without a page appears with the first push, as a new repository does. */
  async #pushToWiki(
    viewer: Viewer,
    { id, permitted }: Wiki,
    request: PushRequest,
    pack: Pack,
  ): Promise<PushReport> {
    const { wikis, wikiPushes: pushes } = this.#use;
    const origin = { kind: 'push' } as const;
    const work = { viewer, request, pushes, origin, denied: new Map<string, string>() };
    if (id !== null) return this.#pushTo({ ...work, repository: pushableOf(permitted.repository, id) }, pack);
    await using pending = await wikis.begin(permitted.repository);
    const alsoInTransaction = (tx: Tx) => pending.publish(tx);
    return await this.#pushTo({ ...work, repository: pending.pushable, alsoInTransaction }, pack);
  }

  #findMaintained(viewer: Viewer, repositoryId: RepositoryId, { updates }: PushRequest) {
    const refs = updates.map(({ ref }) => ref);
    return this.#use.pushes.findMaintained(this.#use.database.reader, viewer, { repositoryId, refs });
  }

  /**
   * Returns what features say to the user after a push, as lines. Takes a limited time, and fails only by `onFailure`.
   */
  async remarksAbout(
    pusher: Viewer,
    target: PushTarget,
    { push, report }: { readonly push: PushRequest; readonly report: PushReport },
    onFailure: (error: unknown) => void,
  ): Promise<string> {
    if (target.kind !== 'existing') return '';
    const moved = movedBy(push, report);
    return this.#remarks.about({ pusher, permitted: target.permitted, moved }, onFailure);
  }

  async #pushTo(work: PushWork, pack: Pack): Promise<PushReport> {
    const { request, denied } = work;
    if (request.updates.every(({ ref }) => denied.has(ref))) return reportRefs(request, { rejected: denied });
    await using session = await this.#use.git.writes.begin(work.repository.id);
    try {
      await ingest(session, request, { ...pack, unpacked: this.transfers.settings.unpacked });
      return await this.#move(session, work);
    } catch (error) {
      const isFull = isDiskFull(error);
      const report = reportOf(isFull ? diskFull(error) : error, request);
      if (report === undefined) throw error;
      return isFull ? { ...report, fault: error } : report;
    }
  }

  async #move(session: WriteSession, work: PushWork): Promise<PushReport> {
    const { request, denied } = work;
    const rejected = new Map([...(await findUnusable(session, request)), ...denied]);
    const left = request.updates.filter((update) => !rejected.has(update.ref) && !isIdle(update));
    if (request.capabilities.has('atomic') && rejected.size > 0) {
      for (const { ref } of left) rejected.set(ref, WHY_REJECTED.atomic);
      return reportRefs(request, { rejected });
    }
    const proposed = work.permitted === undefined ? [] : left.filter(isProposal);
    const updates = left.filter((update) => !proposed.includes(update));
    for (const [ref, why] of await this.#moveRefs(session, work, updates)) rejected.set(ref, why);
    const answers = await this.#propose(session, work, proposed);
    for (const [ref, why] of answers.rejected) rejected.set(ref, why);
    return reportRefs(request, { rejected, accepted: answers.accepted });
  }

  /** @returns the refs that have not moved: ref -> why */
  async #moveRefs(
    session: WriteSession,
    work: PushWork,
    updates: readonly RefUpdate[],
  ): Promise<ReadonlyMap<string, string>> {
    if (updates.length === 0) return new Map();
    const { viewer: pusher, request, repository, pushes, origin, alsoInTransaction } = work;
    const atomic = request.capabilities.has('atomic');
    const results = await pushes.push(session, {
      pusher,
      repository,
      origin,
      updates,
      atomic,
      ...(alsoInTransaction === undefined ? {} : { alsoInTransaction }),
    });
    const whys = results.map((result) => [result.ref, whyNotMoved(result)] as const);
    return new Map(whys.flatMap(([ref, why]) => (why === null ? [] : [[ref, why]])));
  }

  async #propose(
    session: WriteSession,
    { viewer: pusher, request, permitted }: PushWork,
    updates: readonly RefUpdate[],
  ): Promise<ProposalAnswers> {
    const proposals = this.#proposals;
    if (proposals === undefined || permitted === undefined || updates.length === 0) return NO_ANSWERS;
    const { options } = request;
    return acceptEach(proposals, { pusher, permitted, session, options }, updates);
  }
}

/** Returns null if the ref has moved. */
function whyNotMoved(result: PushResult): string | null {
  if (result.outcome === 'moved') return null;
  return result.outcome === 'denied' ? result.denial.message : WHY_REJECTED[result.cause];
}

/** Returns the updates that a push has made. */
function movedBy({ updates }: PushRequest, { refs }: PushReport): readonly RefUpdate[] {
  return refs.flatMap(({ rejected, instead }, index) => {
    if (rejected !== null) return [];
    return instead?.moved ?? updates[index] ?? [];
  });
}

function reportRefs(
  { updates }: PushRequest,
  answers: { rejected: ReadonlyMap<string, string>; accepted?: ReadonlyMap<string, AcceptedProposal> },
): PushReport {
  const refs = updates.map(({ ref }) => {
    const instead = answers.accepted?.get(ref);
    return {
      ref,
      rejected: answers.rejected.get(ref) ?? null,
      ...(instead === undefined ? {} : { instead }),
    };
  });
  return { unpackError: null, refs };
}

/** Whether an update deletes a ref that does not exist: it succeeds without an effect. */
function isIdle(update: RefUpdate): boolean {
  return update.old === null && update.new === null;
}

async function ingest(
  session: WriteSession,
  request: PushRequest,
  pack: Pack & { unpacked: UnpackedLimits },
): Promise<void> {
  // A push that only deletes refs needs no objects, so git sends no pack.
  if (request.updates.every((update) => update.new === null)) return;
  const onProgress = request.capabilities.has('quiet') ? {} : { onProgress: pack.onProgress };
  const { shallow } = request;
  const limits = { bytesMax: GIT_LIMITS.pushPackBytesMax, unpacked: pack.unpacked };
  const onto = request.updates.flatMap(({ old }) => old ?? []);
  await session.ingestPack(pack.stream, { ...limits, shallow, onto, ...onProgress });
}

/** Returns the refs that cannot move, whatever the rules say: ref -> why. */
async function findUnusable(session: WriteSession, request: PushRequest): Promise<Map<string, string>> {
  const unusable = new Map<string, string>();
  const seen = new Set<string>();
  for (const { ref } of request.updates) {
    if (seen.has(ref)) unusable.set(ref, 'a push may move a ref only once');
    seen.add(ref);
  }
  for (const update of request.updates.filter(isIdle)) {
    if (session.base.ref(update.ref) !== undefined) unusable.set(update.ref, WHY_REJECTED.stale);
  }
  const arriving = request.updates.filter((update) => update.new !== null);
  const tips = [...new Set(arriving.flatMap(({ new: tip }) => (tip === null ? [] : [tip])))];
  const disconnected = new Set(await session.findDisconnected(tips));
  const isShallow = request.shallow.length > 0;
  const reasons = await Promise.all(
    arriving.map((update) => whyUnusable(session, update, disconnected, isShallow)),
  );
  arriving.forEach(({ ref }, index) => {
    const why = reasons[index];
    if (why !== undefined) unusable.set(ref, why);
  });
  return unusable;
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
  if (!update.ref.startsWith(BRANCHES) && !isProposal(update)) return undefined;
  const info = await session.objects.info(update.new);
  if (info?.type === 'commit') return undefined;
  return isProposal(update) ? 'only a commit can be proposed' : 'a branch can only point to a commit';
}

/** Failures of the body itself, of its compression, or of storing the pack in it. */
const PACK_PROBLEMS: ReadonlySet<FailureKind> = new Set([
  'bad_request',
  'invalid',
  'too_large',
  'too_slow',
  'insufficient_storage',
]);

/** Reports the failure of a whole push for each of its refs; undefined for a fault of the server. */
function reportOf(error: unknown, request: PushRequest): PushReport | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { message } = error;
  if (PACK_PROBLEMS.has(error.failure.kind)) return unstoredPush(request, message);
  return { unpackError: null, refs: request.updates.map(({ ref }) => ({ ref, rejected: message })) };
}
