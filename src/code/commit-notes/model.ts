import type { Oid } from '../../git/format/model.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { CommitDetails, KnownCommit } from '../git-data/model.ts';

/** A note on a commit, before the changes of the commit that wrote it are read. */
export interface FoundNote {
  readonly snapshot: Snapshot;
  /** the blob with its text */
  readonly oid: Oid;
  /** the commit of the notes that last changed it */
  readonly known: KnownCommit;
}

export interface CommitNote {
  readonly message: string;
  /** the commit of the notes that last changed it */
  readonly commit: CommitDetails;
}
