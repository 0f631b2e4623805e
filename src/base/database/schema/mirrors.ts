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

/** Written by `mirrors/`. Migrations that wait or run, and the latest that have ended. */
export interface RepositoryMigrationsTable {
  id: Generated<number>;
  requester_id: number;
  /** JSON: the credential of the request, without secrets */
  credential: string;
  owner_id: number;
  /** at the time of the request */
  owner_name: string;
  name: string;
  /** of the source, without credentials */
  address: string;
  /** JSON: what the copy is to have, without secrets */
  options: string;
  /** for the source, encrypted; null: none, or not needed any more */
  secrets: string | null;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'canceled';
  /** of the requester's places, that in which it runs */
  slot: number | null;
  /** names the attempt that is running, or whose remains are not removed yet */
  run: string | null;
  attempts: number;
  /** of the next attempt */
  due_at: number;
  /** JSON, as the last attempt has counted */
  progress: string;
  /** of all attempts */
  worked_ms: number;
  /** of the pending repository of `run` */
  pending_id: number | null;
  /** null: none yet; it may have been deleted */
  repository_id: number | null;
  /** JSON: why the last attempt failed */
  failure: string | null;
  requested_at: number;
  begun_at: number | null;
  ended_at: number | null;
}

export interface MirrorTables {
  repository_migrations: RepositoryMigrationsTable;
  mirrors: MirrorsTable;
  push_mirrors: PushMirrorsTable;
}
