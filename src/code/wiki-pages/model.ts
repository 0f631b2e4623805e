import type { Commit } from '../../git/format/model.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { PageFile } from './page-index.ts';

/** A page in a list. */
export interface ListedPage {
  readonly repository: Repository;
  readonly title: string;
  readonly address: string;
  readonly lastCommit: Commit;
}

/** A page with its content. */
export interface WikiPage extends ListedPage {
  readonly content: Uint8Array;
  /** commits that changed its file */
  readonly commitCount: number;
  /** empty if there is none */
  readonly sidebar: Uint8Array;
  readonly footer: Uint8Array;
}

/** The commits that changed a page, newest first. */
export interface Revisions {
  readonly commits: readonly Commit[];
  readonly total: number;
}

/** A page as it is at the tip of a wiki. */
export interface FoundPage {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly commit: string;
  readonly page: PageFile;
}

/** What a request writes to a page. Undefined: as it is, or for a new page nothing. */
export interface PageChange {
  /** trimmed and checked */
  readonly title: string | undefined;
  readonly content: Uint8Array | undefined;
  /** '' for the usual one */
  readonly message: string;
}
