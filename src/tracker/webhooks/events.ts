import { defineEvent } from '../../base/events/model.ts';

/** The webhook that an event is about. */
export interface AboutWebhook {
  readonly hookId: number;
  /** user that it belongs to; absent: it is not the webhook of a user */
  readonly accountId?: number;
  /** organization that it belongs to; absent: it is not the webhook of an organization */
  readonly organizationId?: number;
  /** why the server has stopped it */
  readonly reason?: string;
}

const AUDIT = { audit: { target: 'webhook', id: 'hookId' } } as const;

/** Readers of events see who may know of a webhook by the kind of the event. */
function eventsOf(noun: string) {
  return {
    created: defineEvent<AboutWebhook>(`${noun}.created`, AUDIT),
    changed: defineEvent<AboutWebhook>(`${noun}.changed`, AUDIT),
    deleted: defineEvent<AboutWebhook>(`${noun}.deleted`, AUDIT),
    /** The server has made it inactive, because its receiver has failed for too long. */
    stopped: defineEvent<AboutWebhook>(`${noun}.stopped`, AUDIT),
  };
}

export const WEBHOOK_EVENTS = {
  repository: eventsOf('webhook'),
  organization: eventsOf('organization-webhook'),
  user: eventsOf('account-webhook'),
  site: eventsOf('site-webhook'),
} as const;
