import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'readers-of-events');

test('events from before belong to the owner that they belong to now, and the log begins with the first one', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    for (const statement of [
      `insert into git_repositories (id, object_format, head) values (3, 'sha1', 'refs/heads/main')`,
      `insert into repositories
        (id, owner_id, name, lower_name, description, is_private, created_at, updated_at, last_issue_number)
        values (3, ${owner}, 'r', 'r', '', 0, 0, 0, 0)`,
      `insert into events (position, kind, repository_id, payload, created_at) values
        (5, 'issue.created', 3, '{"number":1}', 0), (6, 'issue.created', 4, '{"number":1}', 0),
        (7, 'team.member-added', null, '{"organizationId":8,"accountId":9}', 0),
        (8, 'account.created', null, '{"accountId":9,"name":"ben"}', 0)`,
    ])
      await query(tx, raw(statement));
    await MIGRATIONS[STEP]?.up(tx, dialect);

    const rows = await query<{ owner_id: number }>(tx, raw('select owner_id from events order by position'));
    assert.deepEqual(
      rows.map((row) => row.owner_id),
      [owner, null, 8, 9],
    );
    assert.deepEqual(await query(tx, raw('select * from event_log')), [{ id: 1, deleted_to: 4 }]);
  });
});
