import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'words-of-reviews');

test('jobs index the texts of repositories with submitted reviews, and of no others', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    for (const id of [3, 4, 5])
      for (const statement of [
        `insert into git_repositories (id, object_format, head) values (${id}, 'sha1', 'refs/heads/main')`,
        `insert into repositories
          (id, owner_id, name, lower_name, description, is_private, created_at, updated_at, last_issue_number)
          values (${id}, ${owner}, 'r${id}', 'r${id}', '', 0, 0, 0, 1)`,
        `insert into issues (id, repository_id, number, title, body, is_pull, created_at, updated_at)
          values (${id}0, ${id}, 1, 'Pump', '', 1, 0, 0)`,
      ])
        await query(tx, raw(statement));
    for (const statement of [
      `insert into issue_entries (id, issue_id, repository_id, kind, body, details, created_at, updated_at)
        values (7, 30, 3, 'review', 'gasket', '{}', 0, 0)`,
      `insert into pull_reviews (issue_id, repository_id, account_id, state, entry_id, body, created_at, updated_at)
        values (30, 3, ${owner}, 'approved', 7, 'gasket', 0, 0), (40, 4, ${owner}, 'pending', null, 'draft', 0, 0)`,
    ])
      await query(tx, raw(statement));
    await MIGRATIONS[STEP]?.up(tx, dialect);
  });
  const jobs = await query<{ key: string; payload: string }>(
    database.reader,
    raw(`select key, payload from jobs where kind = 'issues.finish-import'`),
  );
  assert.deepEqual(jobs, [{ key: '3', payload: '{"repositoryId":3}' }]);
});
