import type { Generated } from 'kysely';

/** Written by `jobs/`. Work to do: one row for each kind and key, deleted when the work is done. */
export interface JobsTable {
  id: Generated<number>;
  kind: string;
  /** the subject of the work: requesting the same again changes this row instead of adding one */
  key: string;
  /** JSON, by kind */
  payload: string;
  /** null: given up until requested again */
  run_at: number | null;
  /** raised by each request for the work */
  revision: Generated<number>;
  /** starts since it was requested or last succeeded */
  attempts: Generated<number>;
  /** end of the current lease, which its process extends while it works; null: not leased */
  leased_until: number | null;
  /** unique for each lease */
  leased_by: string | null;
  /** the leased `revision`: if `revision` is higher, the work was requested again meanwhile */
  leased_revision: number | null;
  last_error: string | null;
  /** when it was last given up; null: never, or it has succeeded since */
  failed_at: number | null;
  /** of recurring work: number of runs that have ended */
  runs: Generated<number>;
  /** of recurring work: start of the last of these runs; null: none yet */
  last_run_at: number | null;
  created_at: number;
}

export interface JobTables {
  jobs: JobsTable;
}
