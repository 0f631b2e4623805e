import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment, raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'one-index-of-words');

test('words of texts are indexed again by a job for each repository with issues, on SQLite', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  const isOnSqlite = dialect === 'sqlite';
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    const repository = (id: number, last: number) => [
      `insert into git_repositories (id, object_format, head) values (${id}, 'sha1', 'refs/heads/main')`,
      `insert into repositories
        (id, owner_id, name, lower_name, description, is_private, created_at, updated_at, last_issue_number)
        values (${id}, ${owner}, 'r${id}', 'r${id}', '', 0, 0, 0, ${last})`,
    ];
    for (const statement of [
      ...repository(3, 1),
      ...repository(4, 0),
      `insert into issues (id, repository_id, number, title, body, created_at, updated_at)
        values (5, 3, 1, 'Pump leaks', '', 0, 0)`,
      `insert into issue_mentions (issue_id, subject_id, repository_id, is_pull, is_closed) values (5, ${owner}, 3, 0, 0)`,
      isOnSqlite
        ? `insert into issue_texts (rowid, heading, title, body)
            values (((4294967295 - 5) << 31) | 3, 't·pump t·leaks', 'pump leaks', '')`
        : `insert into issue_texts (id, repository_id, words) values (5, 3, '''pump'':1')`,
    ])
      await query(tx, raw(statement));
    await MIGRATIONS[STEP]?.up(tx, dialect);
  });
  const matches = isOnSqlite ? raw('issue_texts match') : raw('words @@');
  const found = () =>
    query(database.reader, fragment`select 1 as one from issue_texts where ${matches} 'pump'`);

  const jobs = await query<{ key: string; payload: string }>(
    database.reader,
    raw(`select key, payload from jobs where kind = 'issues.finish-import'`),
  );
  assert.deepEqual(jobs, isOnSqlite ? [{ key: '3', payload: '{"repositoryId":3}' }] : []);
  assert.equal((await found()).length, isOnSqlite ? 0 : 1);
  if (isOnSqlite)
    await database.transaction((tx) =>
      query(
        tx,
        raw(
          `insert into issue_texts (rowid, repository, heading, title, body) values (5, '·3', '', 'pump', '')`,
        ),
      ),
    );
  assert.equal((await found()).length, 1);
  await database.transaction((tx) => query(tx, raw('delete from issues where id = 5')));
  assert.deepEqual(await found(), []);
});
