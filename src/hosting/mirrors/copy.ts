import { OutboundError } from '../../base/outbound/model.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchNameOf, branchNameProblem, refChangeProblem } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { RepositoryId, Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { FollowingRef, WriteSession } from '../../git/interface/writes.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { RemoteError, type RemoteRefs } from '../../git/remote/model.ts';
import type { RemoteRepository } from '../../git/remote/remote-repository.ts';
import { REPOSITORY_LIMITS } from '../repositories/limits.ts';
import { MIRROR_LIMITS } from './limits.ts';
import { countedPack, newProgress, type Progress } from './progress.ts';
import { COPIED_PULL_REFS, COPIED_REFS, rootOf } from './source.ts';

export interface CopyPlan {
  readonly updates: readonly RefUpdate[];
  /** heads of pull requests whose commits the session has, with their whole histories */
  readonly presentHeads: readonly FollowingRef[];
  /** default branch of the source, if a repository here can have it; null: unknown */
  readonly defaultBranch: string | null;
}

/**
 * Copies the objects of a source into a session, and calls `move` with the refs to move. Starts again if the source
 * changes during the copy or the connection is lost.
 *
 * @param copying.listed refs that were listed before, for the first attempt
 * @param copying.wantedHeads heads of pull requests to copy, too: their commits, by their refs. Where the source has
 *   the ref, the ref decides. Heads that the source lacks are left out
 * @throws RemoteError, OutboundError, ForgeError as `WriteSession.ingestPack`; the errors of `move`
 */
export async function copySource<T>(
  git: Pick<GitStorage, 'writes' | 'transfers'>,
  copying: {
    readonly id: RepositoryId;
    readonly remote: RemoteRepository;
    readonly prunes: boolean;
    readonly listed?: RemoteRefs;
    readonly wantedHeads?: ReadonlyMap<string, Oid>;
    readonly progress?: Progress;
    readonly move: (session: WriteSession, plan: CopyPlan) => Promise<T>;
  },
): Promise<T> {
  const { id, remote, prunes, move, wantedHeads = NO_HEADS, progress = newProgress() } = copying;
  let { listed } = copying;
  for (let attempt = 1; ; attempt += 1) {
    await using session = await git.writes.begin(id);
    const source = listed ?? (await remote.listRefs(COPIED_REFS));
    listed = undefined;
    Object.assign(progress, { phase: 'git', objects: 0, bytesReceived: 0 } satisfies Partial<Progress>);
    const plan = planOf(session.base, source, { prunes });
    const tips = tipsOf(plan.updates);
    let presentHeads: readonly FollowingRef[];
    try {
      const listedHeads = await listHeads(remote, wantedHeads);
      await ingest(git, session, { remote, plan, tips: [...tips, ...listedHeads.values()], progress });
      await requireConnected(session, tips);
      presentHeads = await findPresent(session, new Map([...wantedHeads, ...listedHeads]));
    } catch (error) {
      if (!isWorthRepeating(error) || attempt === MIRROR_LIMITS.sourceAttemptsMax) throw error;
      continue;
    }
    return await move(session, { ...plan, presentHeads });
  }
}

/** The source has changed since its refs were listed, or the connection was lost. */
function isWorthRepeating(error: unknown): boolean {
  const cause = rootOf(error);
  if (cause instanceof OutboundError) return cause.failure === 'cut-off';
  return cause instanceof RemoteError && cause.isTemporary;
}

const NO_HEADS: ReadonlyMap<string, Oid> = new Map();

/** Returns the commits of the wanted heads that the source lists, by their refs. */
async function listHeads(
  remote: RemoteRepository,
  wanted: ReadonlyMap<string, Oid>,
): Promise<ReadonlyMap<string, Oid>> {
  if (wanted.size === 0) return NO_HEADS;
  const { refs } = await remote.listRefs(COPIED_PULL_REFS);
  return new Map([...refs].filter(([ref]) => wanted.has(ref)));
}

/** Filters heads: returns those that are commits with their whole histories. */
async function findPresent(
  session: WriteSession,
  heads: ReadonlyMap<string, Oid>,
): Promise<readonly FollowingRef[]> {
  const commits = new Set<Oid>();
  for (const oid of new Set(heads.values()))
    if ((await session.objects.info(oid))?.type === 'commit') commits.add(oid);
  for (const oid of await session.findDisconnected([...commits])) commits.delete(oid);
  return [...heads].flatMap(([ref, commit]) => (commits.has(commit) ? [{ ref, commit }] : []));
}

/** Compares the refs of a source with those of a repository. */
function planOf(
  base: Snapshot,
  source: RemoteRefs,
  { prunes }: { prunes: boolean },
): Omit<CopyPlan, 'presentHeads'> {
  if (source.objectFormat !== base.objectFormat)
    throw new RemoteError(
      `the source has ${source.objectFormat} objects, and this repository ${base.objectFormat}`,
    );
  const wanted = [...source.refs].filter(
    ([ref, oid]) => refChangeProblem({ ref, old: null, new: oid }) === undefined,
  );
  const moved = wanted.flatMap(([ref, oid]): RefUpdate[] => {
    const old = base.ref(ref) ?? null;
    return old === oid ? [] : [{ ref, old, new: oid }];
  });
  const gone = prunes ? goneFrom(base, source) : [];
  return { updates: [...gone, ...moved], defaultBranch: defaultBranchOf(source) };
}

function goneFrom(base: Snapshot, { refs }: RemoteRefs): readonly RefUpdate[] {
  const ours = COPIED_REFS.flatMap((prefix) => [...base.refs(prefix)]);
  return ours.filter(([ref]) => !refs.has(ref)).map(([ref, old]) => ({ ref, old, new: null }));
}

export function defaultBranchOf({ head }: RemoteRefs): string | null {
  const branch = head === null ? undefined : branchNameOf(head);
  if (branch === undefined) return null;
  const isUsable =
    branchNameProblem(branch) === undefined && branch.length <= REPOSITORY_LIMITS.branchNameCharsMax;
  return isUsable ? branch : null;
}

async function ingest(
  git: Pick<GitStorage, 'writes' | 'transfers'>,
  session: WriteSession,
  {
    remote,
    plan,
    tips,
    progress,
  }: {
    remote: RemoteRepository;
    plan: Pick<CopyPlan, 'updates'>;
    tips: readonly Oid[];
    progress: Progress;
  },
): Promise<void> {
  const known = new Set([...session.base.refs('refs/')].map(([, oid]) => oid));
  const wants = new Set(tips.filter((oid) => !known.has(oid)));
  if (wants.size === 0) return;
  const haves = await havesOf(session, plan.updates, known);
  const { unpacked } = git.transfers.settings;
  const bytesMax = GIT_LIMITS.pushPackBytesMax;
  await git.transfers.uploads.run(async () => {
    const limits = { bytesMax, deadlineMs: MIRROR_LIMITS.migrationMs };
    const pack = remote.fetch({ wants: [...wants], haves }, limits);
    await session.ingestPack(countedPack(pack, progress), { bytesMax, unpacked });
  });
}

function tipsOf(updates: readonly RefUpdate[]): readonly Oid[] {
  return updates.flatMap((update) => update.new ?? []);
}

/**
 * Returns commits that the repository has: former tips of the refs that move, the latest ancestors of these tips in
 * case the source has dropped them, and the tips of other refs. Their number does not depend on the length of the
 * history.
 */
async function havesOf(
  session: WriteSession,
  updates: readonly RefUpdate[],
  known: ReadonlySet<Oid>,
): Promise<readonly Oid[]> {
  const former = updates.flatMap((update) => update.old ?? []);
  const haves = new Set<Oid>(former.slice(0, MIRROR_LIMITS.sourceHavesMax));
  for (const tip of former.slice(0, MIRROR_LIMITS.sourceHistoriesMax)) {
    for (const oid of await latestOf(session, tip)) haves.add(oid);
  }
  for (const oid of known) {
    if (haves.size >= MIRROR_LIMITS.sourceHavesMax) break;
    haves.add(oid);
  }
  return [...haves];
}

/** Returns the first parents of a commit, newest first. */
async function latestOf(session: WriteSession, tip: Oid): Promise<readonly Oid[]> {
  const found: Oid[] = [];
  let next = await session.objects.peelToCommit(tip);
  while (next !== undefined && found.length < MIRROR_LIMITS.sourceHistoryMax) {
    found.push(next);
    [next] = (await session.objects.readCommit(next)).parents;
  }
  return found;
}

/** @throws RemoteError if the source has not sent the whole history of a tip */
async function requireConnected(session: WriteSession, tips: readonly Oid[]): Promise<void> {
  const missing = await session.findDisconnected(tips);
  if (missing.length > 0) throw new RemoteError('the source did not send the whole history of its refs');
}
