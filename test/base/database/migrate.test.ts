import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/base/database/database.ts';
import { migrate } from '../../../src/base/database/migrate.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { DatabaseTooNewError } from '../../../src/base/database/too-new.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { openAt } from './accounts.ts';

const ALL = MIGRATIONS.map((migration) => migration.name);

async function appliedSteps(database: Database): Promise<string[]> {
  const result = await sql<{ name: string }>`select name from schema_versions order by number`.execute(
    database.reader,
  );
  return result.rows.map((row) => row.name);
}

test('migrating applies every step to an empty database, and none to a current one', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));

  assert.deepEqual(await migrate(database), ALL);
  assert.deepEqual(await migrate(database), []);
  assert.deepEqual(await appliedSteps(database), ALL);
});

test('if several processes start together, one migrates and the others wait for it', async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const databases = [openAt(t, location), openAt(t, location), openAt(t, location)];

  const done = await Promise.all(databases.map((database) => migrate(database)));

  assert.deepEqual(done.flat(), ALL);
});

test('a newer database is rejected and left unchanged', async (t) => {
  const database = openAt(t, await databaseLocation(t));
  const later = MIGRATIONS.length + 1;
  await database.transaction((tx) =>
    sql`insert into schema_versions (number, name, applied_at) values (${later}, 'from-the-future', 0)`.execute(
      tx,
    ),
  );

  await assert.rejects(migrate(database), (error) => {
    assert.ok(error instanceof DatabaseTooNewError);
    assert.match(error.message, new RegExp(`schema ${later}, newer than this program`));
    return true;
  });
  assert.deepEqual(await appliedSteps(database), [...ALL, 'from-the-future']);
});
