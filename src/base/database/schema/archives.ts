/**
 * Written by `archives/`. Archives in the object store. A row exists from before its object is stored until after that is
 * deleted, so that no object remains without a row.
 */
export interface ArchivesTable {
  /** in the object store */
  key: string;
  /** the row stays when the repository is deleted */
  repository_id: number;
  bytes: number;
  used_at: number;
  /** whether the object is to be deleted */
  is_doomed: number;
}

export interface ArchiveTables {
  archives: ArchivesTable;
}
