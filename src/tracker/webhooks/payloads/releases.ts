import type { SignedIn } from '../../../api/access/viewer.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { RELEASE } from '../../releases/actions.ts';
import {
  RELEASE_DELETED,
  RELEASE_PUBLISHED,
  RELEASE_UPDATED,
  type ReleasePayload,
} from '../../releases/events.ts';
import { presentRelease, releaseAddresses } from '../../releases/present.ts';
import type { Payload } from '../model.ts';
import { type PayloadServices, type PlannedDelivery, plannedFor } from './model.ts';
import { outsider, personOf, sceneOf } from './scene.ts';

type OfRelease = RecordedEvent<ReleasePayload>;

/** Deliveries about published releases. Drafts are for people who may write releases. */
export const RELEASE_PLANS = [
  plannedFor(RELEASE_PUBLISHED, (event) => [releasePlan(event, 'published')]),
  plannedFor(RELEASE_UPDATED, (event) => [releasePlan(event, 'updated')]),
  plannedFor(RELEASE_DELETED, (event) => [
    { name: 'release', branch: null, read: (use, viewer) => readDeleted(use, viewer, event) },
  ]),
];

function releasePlan(event: OfRelease, action: 'published' | 'updated'): PlannedDelivery {
  return {
    name: 'release',
    branch: null,
    async read(use, viewer) {
      const { path, common } = await sceneOf(use, viewer, event, RELEASE.read);
      const release = await use.releases.get(viewer, path, event.payload.releaseId);
      return { action, release: presentRelease(release, outsider(viewer), use.addresses), ...common };
    },
  };
}

/** The release is gone, so its readers get what the event has of it. */
async function readDeleted(use: PayloadServices, viewer: SignedIn, event: OfRelease): Promise<Payload> {
  const { releaseId: id, tag, target, title, isPrerelease, authorId } = event.payload;
  const { permitted, common } = await sceneOf(use, viewer, event, RELEASE.read);
  const { repository } = permitted;
  const { url, htmlUrl } = releaseAddresses({ repository, id, tag }, use.addresses);
  return {
    action: 'deleted',
    release: {
      id,
      tag_name: tag,
      target_commitish: target,
      name: title,
      url,
      html_url: htmlUrl,
      prerelease: isPrerelease,
      author: await personOf(use, viewer, authorId),
    },
    ...common,
  };
}
