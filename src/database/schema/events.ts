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

/** Written by `events/`. How far each of those who read the events one after the other has come. */
export interface EventReadersTable {
  name: string;
  /** of the last event it has taken; 0: none */
  position: number;
  updated_at: number;
}

export interface EventTables {
  events: EventsTable;
  event_readers: EventReadersTable;
}
