import type { Generated } from 'kysely';

/** Written by `events/`. What happened, in the order of commits. */
export interface EventsTable {
  position: Generated<number>;
  kind: string;
  actor_id: number | null;
  repository_id: number | null;
  /** JSON, by kind */
  payload: string;
  created_at: number;
}

export interface EventTables {
  events: EventsTable;
}
