import { defineEvent } from '../../base/events/model.ts';

/** In addition to `refs.changed`, which reports a rename as a deletion and a creation. */
export const BRANCH_RENAMED = defineEvent<{ from: string; to: string }>('branch.renamed');
