import type { EventKind } from '../../base/events/model.ts';
import { type AboutWebhook, WEBHOOK_EVENTS } from './events.ts';
import type { HookPlace, Webhook } from './model.ts';

type Owned = Pick<Webhook, 'id' | 'repositoryId' | 'ownerId' | 'ownerKind'>;
type Happening = keyof (typeof WEBHOOK_EVENTS)['repository'];

/** What an event about a webhook consists of, apart from its actor. */
interface HookEvent {
  readonly kind: EventKind<AboutWebhook>;
  readonly repositoryId: number | null;
  readonly payload: AboutWebhook;
}

/** Returns the event that something has happened to a webhook. */
export function hookEvent({ id, repositoryId, ownerId, ownerKind }: Owned, what: Happening): HookEvent {
  const hookId = id;
  if (repositoryId !== null)
    return { kind: WEBHOOK_EVENTS.repository[what], repositoryId, payload: { hookId } };
  if (ownerId === null) return { kind: WEBHOOK_EVENTS.site[what], repositoryId: null, payload: { hookId } };
  return ownerKind === 'organization'
    ? {
        kind: WEBHOOK_EVENTS.organization[what],
        repositoryId: null,
        payload: { hookId, organizationId: ownerId },
      }
    : { kind: WEBHOOK_EVENTS.user[what], repositoryId: null, payload: { hookId, accountId: ownerId } };
}

/** Returns the event that the server has stopped a webhook. */
export function stoppedEvent(hook: Owned, reason: string): HookEvent & { readonly actorId: null } {
  const event = hookEvent(hook, 'stopped');
  return { ...event, actorId: null, payload: { ...event.payload, reason } };
}

/** Returns the columns that say to what a new webhook belongs, and whose share of deliveries it uses. */
export function placeColumns(place: HookPlace, { isSystem }: { isSystem: boolean }) {
  switch (place.of) {
    case 'repository': {
      const { repositoryId, ownerId } = place;
      return { scope: 'repository', repository_id: repositoryId, owner_id: null, share_id: ownerId } as const;
    }
    case 'user':
    case 'organization': {
      const { accountId } = place;
      return { scope: 'account', repository_id: null, owner_id: accountId, share_id: accountId } as const;
    }
    case 'site':
      return {
        scope: isSystem ? 'system' : 'default',
        repository_id: null,
        owner_id: null,
        share_id: 0,
      } as const;
  }
}
