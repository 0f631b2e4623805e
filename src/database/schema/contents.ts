/**
 * Written by `contents/`. The last commit of each entry of a folder, as of one commit. Rows never change. Commits share
 * the rows of their ancestors for unchanged folders.
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
