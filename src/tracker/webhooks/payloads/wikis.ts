import type { RecordedEvent } from '../../../base/events/model.ts';
import { WIKI } from '../../../hosting/wikis/actions.ts';
import { WIKI_PAGE_CREATED, WIKI_PAGE_DELETED, WIKI_PAGE_EDITED } from '../../../hosting/wikis/events.ts';
import { type PlannedDelivery, plannedFor } from './model.ts';
import { sceneOf } from './scene.ts';

/** Deliveries about pages of wikis. */
export const WIKI_PLANS = [
  plannedFor(WIKI_PAGE_CREATED, (event) => [wikiPlan(event, 'created')]),
  plannedFor(WIKI_PAGE_EDITED, (event) => [wikiPlan(event, 'edited')]),
  plannedFor(WIKI_PAGE_DELETED, (event) => [wikiPlan(event, 'deleted')]),
];

function wikiPlan(
  event: RecordedEvent<{ readonly page: string; readonly comment: string }>,
  action: 'created' | 'edited' | 'deleted',
): PlannedDelivery {
  return {
    name: 'wiki',
    branch: null,
    async read(use, viewer) {
      const { common } = await sceneOf(use, viewer, event, WIKI.read);
      const { page, comment } = event.payload;
      return { action, ...common, page, comment };
    },
  };
}
