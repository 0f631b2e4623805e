import type { Commit, Oid } from '../../git/format/model.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { PageFile, PageIndex } from './page-index.ts';

/** A page in a list. */
export interface ListedPage {
  readonly repository: Repository;
  readonly title: string;
  readonly address: string;
  readonly lastCommit: Commit;
}

/** What is shown beside each page of a wiki. Empty if there is none. */
export interface Asides {
  readonly sidebar: Uint8Array;
  readonly footer: Uint8Array;
}

/** A page with its content. */
export interface WikiPage extends ListedPage, Asides {
  readonly content: Uint8Array;
  /** commits that changed its file */
  readonly commitCount: number;
}

/** The commits that changed a page, newest first. */
export interface Revisions {
  readonly commits: readonly Commit[];
  readonly total: number;
}

/** A wiki that has a commit, as it is now. */
export interface OpenWiki {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  /** the newest one */
  readonly commit: Oid;
  readonly index: PageIndex;
}

export interface FoundPage extends OpenWiki {
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
