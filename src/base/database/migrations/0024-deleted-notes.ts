import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const deletedNotes: Migration = {
  name: 'deleted notes',
  async up(db) {
    await sql`create index notes_deleted on notes (notebook_id, deleted_at, id)
      where deleted_at is not null`.execute(db);
  },
};
