import { defineEvent } from '../../../../base/events/model.ts';

/** `added` and `removed` have the ids of the issues on which the issue depends. */
export const ISSUE_DEPENDENCIES_CHANGED = defineEvent<{
  readonly issueId: number;
  readonly number: number;
  readonly added: readonly number[];
  readonly removed: readonly number[];
}>('issue.dependencies-changed');
