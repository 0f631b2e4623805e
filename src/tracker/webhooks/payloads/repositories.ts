import { overridesRights, type SignedIn } from '../../../api/access/viewer.ts';
import { undefinedIf } from '../../../base/core/failure.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { STATUS } from '../../../code/statuses/actions.ts';
import { STATUS_CREATED } from '../../../code/statuses/events.ts';
import {
  REPOSITORY_CREATED,
  REPOSITORY_DELETED,
  REPOSITORY_FORKED,
} from '../../../hosting/repositories/events.ts';
import { presentRepository, repositoryAddresses } from '../../../hosting/repositories/present.ts';
import { wireTime } from '../../../http/time.ts';
import { presentOwner } from '../../../people/accounts/present.ts';
import { findVisibleAccounts } from '../../../people/accounts/visible.ts';
import { WEBHOOK } from '../actions.ts';
import type { Payload } from '../model.ts';
import { type PayloadServices, plannedFor } from './model.ts';
import { outsider, personOf, sceneOf } from './scene.ts';

/** Deliveries about repositories as a whole, and about the statuses of commits. */
export const REPOSITORY_PLANS = [
  plannedFor(REPOSITORY_CREATED, (event) => [
    { name: 'repository', branch: null, read: (use, viewer) => readCreated(use, viewer, event) },
  ]),
  plannedFor(REPOSITORY_DELETED, (event) => [
    { name: 'repository', branch: null, read: (use, viewer) => readDeleted(use, viewer, event) },
  ]),
  plannedFor(REPOSITORY_FORKED, (event) => [
    {
      name: 'fork',
      branch: null,
      async read(use, viewer) {
        const { forkId } = event.payload;
        const fork = await use.repositories.find(use.database.reader, viewer, forkId);
        if (fork === undefined) return undefined;
        const { common } = await sceneOf(use, viewer, event);
        return { forkee: presentRepository(fork, outsider(viewer), use.addresses), ...common };
      },
    },
  ]),
  plannedFor(STATUS_CREATED, (event) => [
    { name: 'status', branch: null, read: (use, viewer) => readStatus(use, viewer, event) },
  ]),
];

async function readCreated(use: PayloadServices, viewer: SignedIn, event: RecordedEvent): Promise<Payload> {
  const { permitted, common } = await sceneOf(use, viewer, event);
  const { owner } = permitted.repository;
  const organization = owner.kind === 'user' ? null : presentOwner(owner, outsider(viewer), use.addresses);
  return { action: 'created', ...common, organization };
}

/** The repository is gone, so its former owner gets what the event has of it. */
async function readDeleted(
  use: PayloadServices,
  viewer: SignedIn,
  { repositoryId: id, ownerId, ownerName, repositoryName: name, actorId }: RecordedEvent,
): Promise<Payload | undefined> {
  if (ownerId === null || ownerName === null || name === null) return undefined;
  const owner = (await findVisibleAccounts(use.database.reader, viewer, [ownerId])).get(ownerId);
  if (owner === undefined || !(await owns(use, viewer, owner))) return undefined;
  const presented = presentOwner(owner, outsider(viewer), use.addresses);
  const { url, htmlUrl } = repositoryAddresses({ owner: { name: ownerName }, name }, use.addresses);
  return {
    action: 'deleted',
    repository: { id, owner: presented, name, full_name: `${ownerName}/${name}`, url, html_url: htmlUrl },
    sender: await personOf(use, viewer, actorId),
    organization: owner.kind === 'user' ? null : presented,
  };
}

async function owns(
  { organizations }: PayloadServices,
  viewer: SignedIn,
  owner: { readonly id: number; readonly kind: string; readonly name: string },
): Promise<boolean> {
  if (overridesRights(viewer)) return true;
  if (owner.kind === 'user') return owner.id === viewer.accountId;
  const found = await organizations
    .get(viewer, owner.name, WEBHOOK.readOfOrganization)
    .catch(undefinedIf('not_found', 'forbidden'));
  return found !== undefined;
}

async function readStatus(
  use: PayloadServices,
  viewer: SignedIn,
  event: RecordedEvent<{ commit: string; context: string; state: string }>,
): Promise<Payload> {
  const { commit, context, state } = event.payload;
  const { permitted, common } = await sceneOf(use, viewer, event, STATUS.list);
  const { repository } = permitted;
  const { database, git, statuses, pushedCommits } = use;
  const snapshot = await git.refs.open(repository.id);
  const latest = await statuses.latest(database.reader, { repository, commit });
  // A later status of the same check replaces its texts.
  const status = latest.find((each) => each.context === context);
  const at = wireTime(event.at);
  return {
    id: status?.number ?? 0,
    sha: commit,
    state,
    context,
    description: status?.description ?? '',
    target_url: status?.targetUrl ?? '',
    commit: await pushedCommits.presentOne(viewer, { repository, snapshot }, commit),
    created_at: at,
    updated_at: at,
    ...common,
  };
}
