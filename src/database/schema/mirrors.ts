/** Written by `mirrors/`. Repositories that follow another server. */
export interface MirrorsTable {
  repository_id: number;
  /** without credentials */
  address: string;
  /** encrypted; null: none */
  credentials: string | null;
  has_large_files: number;
  /** of the source of objects of git-lfs; '': follows from `address` */
  large_files_address: string;
  /** whether refs go that the source no longer has */
  prunes: number;
  /** 0: only on request */
  interval_ms: number;
  /** of the next update; null: none */
  due_at: number | null;
  /** since the last success */
  failures: number;
}

export interface MirrorTables {
  mirrors: MirrorsTable;
}
