import type { SignedIn } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { zeroOid } from '../../../git/format/object-format.ts';
import { BRANCHES, branchNameOf } from '../../../git/format/ref-names.ts';
import { REPOSITORY } from '../../../hosting/repositories/actions.ts';
import { REFS_CHANGED } from '../../../hosting/repositories/events.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import { resolveRef } from '../../../hosting/repositories/refs/resolve-ref.ts';
import type { Payload } from '../model.ts';
import { type PayloadServices, type PlannedDelivery, plannedFor } from './model.ts';
import { sceneOf } from './scene.ts';

const TAGS = 'refs/tags/';

type Acted = Pick<RecordedEvent, 'repositoryId' | 'actorId' | 'actorKind'>;

interface RefUpdate {
  readonly ref: string;
  readonly old: string | null;
  readonly new: string | null;
}

/** A branch or a tag has one delivery as a push, and one more if it is created or deleted. Other refs have none. */
export const REF_PLANS = [
  plannedFor(REFS_CHANGED, (event) => event.payload.updates.flatMap((update) => plansOf(event, update))),
];

function plansOf(event: Acted, update: RefUpdate): readonly PlannedDelivery[] {
  const { ref, old, new: oid } = update;
  const branch = branchNameOf(ref) ?? null;
  if (branch === null && !ref.startsWith(TAGS)) return [];
  const pushed: PlannedDelivery = {
    name: 'push',
    branch,
    read: (use, viewer) => readPush(use, viewer, event, update),
  };
  if (old === null)
    return [
      { name: 'create', branch, read: (use, viewer) => readCreated(use, viewer, event, { ref, sha: oid }) },
      pushed,
    ];
  if (oid === null)
    return [pushed, { name: 'delete', branch, read: (use, viewer) => readDeleted(use, viewer, event, ref) }];
  return [pushed];
}

async function readCreated(
  use: PayloadServices,
  viewer: SignedIn,
  event: Acted,
  { ref, sha }: { ref: string; sha: string | null },
): Promise<Payload> {
  const { common } = await sceneOf(use, viewer, event, REPOSITORY.fetch);
  return { sha, ...nameOf(ref), ...common };
}

async function readDeleted(
  use: PayloadServices,
  viewer: SignedIn,
  event: Acted,
  ref: string,
): Promise<Payload> {
  const { common } = await sceneOf(use, viewer, event, REPOSITORY.fetch);
  return { ...nameOf(ref), pusher_type: 'user', ...common };
}

function nameOf(ref: string): { readonly ref: string; readonly ref_type: 'branch' | 'tag' } {
  return ref.startsWith(BRANCHES)
    ? { ref: ref.slice(BRANCHES.length), ref_type: 'branch' }
    : { ref: ref.slice(TAGS.length), ref_type: 'tag' };
}

async function readPush(
  use: PayloadServices,
  viewer: SignedIn,
  event: Acted,
  { ref, old, new: oid }: RefUpdate,
): Promise<Payload> {
  const { permitted, common } = await sceneOf(use, viewer, event, REPOSITORY.fetch);
  const { repository } = permitted;
  const snapshot = await use.git.refs.open(repository.id);
  const opened = { repository, snapshot };
  const branch = branchNameOf(ref);
  const { commits, total } =
    branch === undefined || oid === null
      ? { commits: [], total: 0 }
      : await use.pushedCommits.ofBranch(viewer, opened, { name: branch, old, new: oid });
  const zero = zeroOid(snapshot.objectFormat);
  const { htmlUrl } = repositoryAddresses(repository, use.addresses);
  return {
    ref,
    before: old ?? zero,
    after: oid ?? zero,
    compare_url: old === null || oid === null ? '' : `${htmlUrl}/compare/${old}...${oid}`,
    commits,
    total_commits: total,
    head_commit: oid === null ? null : await use.pushedCommits.presentOne(viewer, opened, oid),
    ...common,
    pusher: common.sender,
  };
}

/**
 * Reads the payload of a test: the head of a ref as if it had just been pushed.
 *
 * @param about.ref branch or tag as the caller named it; null: the default branch
 * @throws ForgeError `not_found` for a missing ref, `forbidden`, `busy`
 */
export async function readTest(
  use: PayloadServices,
  viewer: SignedIn,
  { repositoryId, ref }: { repositoryId: number; ref: string | null },
): Promise<Payload> {
  const about = { repositoryId, actorId: viewer.accountId, actorKind: 'user' } as const;
  const { permitted, common } = await sceneOf(use, viewer, about, REPOSITORY.fetch);
  const { repository } = permitted;
  const snapshot = await use.git.refs.open(repository.id);
  const resolved = await resolveRef(snapshot, ref ?? repository.defaultBranch);
  const isEmpty = resolved === undefined && ref === null;
  if (!isEmpty && (resolved === undefined || resolved.kind === 'commit')) throw notFound('ref');
  const oid = resolved?.commit ?? zeroOid(snapshot.objectFormat);
  const head =
    resolved === undefined ? null : await use.pushedCommits.presentOne(viewer, { repository, snapshot }, oid);
  const prefix = resolved?.kind === 'tag' ? TAGS : BRANCHES;
  const { htmlUrl } = repositoryAddresses(repository, use.addresses);
  return {
    ref: `${prefix}${resolved?.name ?? repository.defaultBranch}`,
    before: oid,
    after: oid,
    compare_url: `${htmlUrl}/compare/${oid}...${oid}`,
    commits: head === null ? [] : [head],
    total_commits: head === null ? 0 : 1,
    head_commit: head,
    ...common,
    pusher: common.sender,
  };
}
