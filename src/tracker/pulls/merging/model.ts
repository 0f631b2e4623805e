import type { Oid } from '../../../git/format/model.ts';
import type { BuildStyle } from './build-commits.ts';

/** What a request for a merge asks for. */
export interface MergeWish {
  readonly style: BuildStyle | 'manually-merged';
  /** first line of the message; '' for the default */
  readonly title: string;
  /** the rest of the message; '' for the default */
  readonly message: string;
  /** the head that the caller has seen; undefined: any */
  readonly head: Oid | undefined;
  /** for `manually-merged`: the commit of the base that has the changes */
  readonly mergedCommit: Oid | undefined;
  /** undefined: as the repository is set up */
  readonly deletesBranch: boolean | undefined;
  /** An administrator skips the protection of the base. */
  readonly isForced: boolean;
  /** Waits for the protection of the base instead of failing. */
  readonly waits: boolean;
}
