import type { Generated } from 'kysely';

/** Written by `jobs/`. Work to do: one row for each kind and key, gone when it is done. */
export interface JobsTable {
  id: Generated<number>;
  kind: string;
  /** what the work is about; asking for the same again changes this row instead of adding one */
  key: string;
  /** JSON, by kind */
  payload: string;
  /** null: given up, until it is asked for again */
  run_at: number | null;
  /** raised each time that the work is asked for */
  revision: Generated<number>;
  /** starts since it was asked for or last succeeded */
  attempts: Generated<number>;
  /** somebody works on it until then, and longer if it says so in time; null: nobody */
  leased_until: number | null;
  /** never the same for two leases */
  leased_by: string | null;
  /** the `revision` that is worked on: a higher one means that it was asked for again meanwhile */
  leased_revision: number | null;
  last_error: string | null;
  /** when it was last given up; null: it was not, or has succeeded since */
  failed_at: number | null;
  created_at: number;
}

export interface JobTables {
  jobs: JobsTable;
}
