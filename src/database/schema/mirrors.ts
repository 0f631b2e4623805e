import type { Generated } from 'kysely';

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

/** Written by `push-mirrors/`. Repositories on other servers that follow one here. */
export interface PushMirrorsTable {
  id: Generated<number>;
  repository_id: number;
  name: string;
  /** without credentials */
  address: string;
  /** encrypted; null: none */
  credentials: string | null;
  /** '': all branches */
  branch_filter: string;
  /** 0: not by itself */
  interval_ms: number;
  /** whether each push to the repository requests an update */
  follows_pushes: number;
  created_at: number;
  /** end of the last update; null: none yet */
  updated_at: number | null;
  /** of the last update; '' after a success */
  error: string;
  /** since the last success */
  failures: number;
  /** of the next update; null: none */
  due_at: number | null;
  /** number of requests, so that one that comes during an update is not lost */
  request: number;
}

export interface MirrorTables {
  mirrors: MirrorsTable;
  push_mirrors: PushMirrorsTable;
}
