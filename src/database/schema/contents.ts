/**
 * Written by `contents/`. What is known of a folder as it is at one commit: the last commit of each of its entries.
 * A row is never changed; the rows of one commit share those of its ancestors for folders that are the same.
 */
export interface LastCommitFoldersTable {
  repository_id: number;
  /** '' for the root */
  folder: string;
  at_commit: string;
  /** JSON: see `contents/last-commits/store.ts` */
  entries: string;
}

export interface ContentsTables {
  last_commit_folders: LastCommitFoldersTable;
}
