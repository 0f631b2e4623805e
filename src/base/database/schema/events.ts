import type { Generated } from 'kysely';

/** Written by `events/`. All events in commit order. */
export interface EventsTable {
  position: Generated<number>;
  kind: string;
  actor_id: number | null;
  repository_id: number | null;
  /** JSON, by kind */
  payload: string;
  created_at: number;
}

/** Written by `events/`. The position of each reader that reads all events in order. */
export interface EventReadersTable {
  name: string;
  /** position of the last event that the reader handled; 0: none */
  position: number;
  updated_at: number;
}

export interface EventTables {
  events: EventsTable;
  event_readers: EventReadersTable;
}
