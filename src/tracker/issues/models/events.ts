import { defineEvent } from '../../../base/events/model.ts';

/** What the event of an issue names it by. */
export interface Numbered {
  readonly issueId: number;
  readonly number: number;
  /** absent in events from before there were pull requests */
  readonly isPull?: boolean;
}

export const ISSUE_CREATED = defineEvent<Numbered & { title: string }>('issue.created');
/** `changed` has the names of the fields that have changed. */
export const ISSUE_CHANGED = defineEvent<Numbered & { changed: readonly string[] }>('issue.changed');
/** `byMerge`: a merge of the pull request, whose own event comes next. */
export const ISSUE_CLOSED = defineEvent<Numbered & { byMerge?: true }>('issue.closed');
export const ISSUE_REOPENED = defineEvent<Numbered>('issue.reopened');
export const ISSUE_DELETED = defineEvent<Numbered & { title: string }>('issue.deleted');
/** The title of a pull request no longer marks it as a draft. */
export const PULL_READY = defineEvent<Numbered>('pull.ready');
/** ids */
export const ISSUE_LABELS_CHANGED = defineEvent<
  Numbered & { added: readonly number[]; removed: readonly number[] }
>('issue.labels-changed');
/** ids */
export const ISSUE_ASSIGNEES_CHANGED = defineEvent<
  Numbered & { added: readonly number[]; removed: readonly number[] }
>('issue.assignees-changed', { people: ['added', 'removed'] });
/** `accountId` is the subscriber, who is not always the actor. */
export const ISSUE_SUBSCRIBED = defineEvent<Numbered & { accountId: number }>('issue.subscribed', {
  people: ['accountId'],
});
export const ISSUE_UNSUBSCRIBED = defineEvent<Numbered & { accountId: number }>('issue.unsubscribed', {
  people: ['accountId'],
});
