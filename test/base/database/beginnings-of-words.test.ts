import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'beginnings-of-words');

test('the list of all words is dropped, and on SQLite jobs index all texts again with their beginnings', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  const isOnSqlite = dialect === 'sqlite';
  const write = (...statements: readonly string[]) =>
    database.transaction(async (tx) => {
      for (const statement of statements) await query(tx, raw(statement));
    });
  const insertText = isOnSqlite
    ? `insert into issue_texts (rowid, repository, heading, title, body) values (5, '·3', 't·pump', 'pump', '')`
    : `insert into issue_texts (id, repository_id, words) values (5, 3, '''·3'':1 ''t·pump'':2 ''pump'':3')`;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    for (const id of [3, 4])
      for (const statement of [
        `insert into git_repositories (id, object_format, head) values (${id}, 'sha1', 'refs/heads/main')`,
        `insert into repositories
          (id, owner_id, name, lower_name, description, is_private, created_at, updated_at, last_issue_number)
          values (${id}, ${owner}, 'r${id}', 'r${id}', '', 0, 0, 0, ${4 - id})`,
      ])
        await query(tx, raw(statement));
  });
  await write(
    `insert into issues (id, repository_id, number, title, body, created_at, updated_at)
      values (5, 3, 1, 'Pump', '', 0, 0)`,
    insertText,
    `insert into issue_terms (term) values ('pump')`,
  );
  await database.transaction(async (tx) => MIGRATIONS[STEP]?.up(tx, dialect));
  const found = (words: string) =>
    query(
      database.reader,
      isOnSqlite
        ? raw(`select 1 as one from issue_texts where issue_texts match '"${words}" *'`)
        : raw(`select 1 as one from issue_texts where words @@ '${words}:*'`),
    );

  const jobs = await query<{ key: string; payload: string }>(
    database.reader,
    raw(`select key, payload from jobs where kind = 'issues.finish-import'`),
  );
  assert.deepEqual(jobs, isOnSqlite ? [{ key: '3', payload: '{"repositoryId":3}' }] : []);
  await assert.rejects(query(database.reader, raw('select 1 from issue_terms')), /issue_terms/);
  assert.equal((await found('pum')).length, isOnSqlite ? 0 : 1);
  if (isOnSqlite) await write(insertText);
  for (const beginning of ['pu', 'pum', 'pump', 't·pum', '·3'])
    assert.equal((await found(beginning)).length, 1, beginning);
  await write('delete from issues where id = 5');
  assert.deepEqual(await found('pum'), []);
});
