import type { RecordedEvent } from '../../base/events/model.ts';

/** Whose events a feed has. */
export type FeedScope =
  | { readonly of: 'all' }
  | { readonly of: 'repository'; readonly id: number }
  /** an account or an organization, and the repositories that it owned at the time of the event */
  | { readonly of: 'owner'; readonly id: number };

/** An account as a viewer sees it. A hidden or deleted one has neither id nor name. */
export interface ShownPerson {
  readonly id: number | null;
  readonly name: string | null;
}

/** An event that a viewer may see, without what the viewer may not see of it. */
export interface VisibleEvent {
  readonly event: RecordedEvent;
  readonly actor: ShownPerson;
  readonly owner: ShownPerson;
  readonly data: Readonly<Record<string, unknown>>;
  readonly former: Readonly<Record<string, unknown>> | null;
}

export interface FeedEvent extends VisibleEvent {
  /** continues after the event, and names it */
  readonly cursor: string;
}

/** A part of the log as a viewer sees it. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** continues after everything that was looked at for this page */
  readonly cursor: string;
  /** whether the log has more events after the cursor; the viewer may not see all of them */
  readonly hasMore: boolean;
}

/** What a request asks for. */
export interface FeedRequest {
  readonly scope: FeedScope;
  /** position of the last event that the client knows; `latest`: all that there are; absent: none */
  readonly after: number | 'latest' | undefined;
  readonly limit: number;
}
