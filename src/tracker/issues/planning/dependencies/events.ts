import { defineEvent } from '../../../../base/events/model.ts';
import type { Numbered } from '../../models/events.ts';

/** `added` and `removed` have the ids of the issues on which the issue depends. */
export const ISSUE_DEPENDENCIES_CHANGED = defineEvent<
  Numbered & { readonly added: readonly number[]; readonly removed: readonly number[] }
>('issue.dependencies-changed');
