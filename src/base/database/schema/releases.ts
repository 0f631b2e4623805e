import type { Generated } from 'kysely';

/** Written by `releases/`. */
export interface ReleasesTable {
  id: Generated<number>;
  repository_id: number;
  /** null: the account was deleted, or the release was imported */
  author_id: number | null;
  /** short name; a draft may have a tag that does not exist */
  tag: string;
  /** branch, tag or commit at which a missing tag is created */
  target: string;
  title: string;
  body: string;
  is_draft: number;
  is_prerelease: number;
  /** clients do not show links to the archives of the tag */
  hides_archives: number;
  /** downloads of the archives of the tag */
  zip_downloads: number;
  tar_gz_downloads: number;
  created_at: number;
  /** of a draft: when it was created, or became a draft again */
  published_at: number;
}

/** Written by `releases/`. A row without a release is deleted, after its file. */
export interface ReleaseAssetsTable {
  id: Generated<number>;
  uuid: string;
  release_id: number | null;
  /** null until the file has arrived */
  repository_id: number | null;
  /** who uploaded it */
  account_id: number | null;
  name: string;
  /** of an asset on another server; '' for a file here */
  external_url: string;
  type: string;
  sha256: string;
  bytes: number;
  downloads: number;
  /** when a row without a release is due for deletion */
  collect_at: number;
  is_doomed: number;
  created_at: number;
}

export interface ReleaseTables {
  releases: ReleasesTable;
  release_assets: ReleaseAssetsTable;
}
