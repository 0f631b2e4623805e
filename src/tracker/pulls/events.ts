import { defineEvent } from '../../base/events/model.ts';
import type { Oid } from '../../git/format/model.ts';

interface Numbered {
  readonly issueId: number;
  readonly number: number;
}

/** The branches of a new pull request. The event of its issue comes before. */
export const PULL_OPENED = defineEvent<
  Numbered & { base: string; head: string; headRepositoryId: number | null; sha: Oid }
>('pull.opened');
/** The head has moved. */
export const PULL_SYNCHRONIZED = defineEvent<Numbered & { before: Oid; after: Oid }>('pull.synchronized');
export const PULL_RETARGETED = defineEvent<Numbered & { from: string; to: string }>('pull.retargeted');
export const PULL_MERGED = defineEvent<Numbered & { sha: Oid; style: string }>('pull.merged');
