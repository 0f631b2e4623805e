import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragment, raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'newest-texts-first');

test('words of texts stay when the newest texts come first, and go with their issues and comments', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  const isOnSqlite = dialect === 'sqlite';
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    const words = isOnSqlite
      ? [
          `insert into issue_texts (rowid, heading, title, body) values
            ((5 << 31) | 3, 't·pump t·leaks', 'pump leaks', 'near the tank'), ((6 << 31) | 3, 't·tank', 'tank', '')`,
          `insert into comment_texts (rowid, body) values ((7 << 31) | 3, 'not the tank')`,
        ]
      : [
          `insert into issue_texts (id, repository_id, words) values
            (5, 3, '''pump'':1 ''leaks'':2 ''near'':20 ''the'':21 ''tank'':22'), (6, 3, '''tank'':1')`,
          `insert into comment_texts (id, repository_id, words) values (7, 3, '''not'':1 ''the'':2 ''tank'':3')`,
        ];
    for (const statement of [
      `insert into git_repositories (id, object_format, head) values (3, 'sha1', 'refs/heads/main')`,
      `insert into repositories (id, owner_id, name, lower_name, description, is_private, created_at, updated_at)
        values (3, ${owner}, 'engine', 'engine', '', 0, 0, 0)`,
      `insert into issues (id, repository_id, number, title, body, created_at, updated_at)
        values (5, 3, 1, 'Pump leaks', 'near the tank', 0, 0), (6, 3, 2, 'Tank', '', 0, 0)`,
      `insert into issue_entries (id, issue_id, repository_id, kind, body, details, created_at, updated_at)
        values (7, 5, 3, 'comment', 'Not the tank', '{}', 0, 0)`,
      ...words,
    ])
      await query(tx, raw(statement));
    await MIGRATIONS[STEP]?.up(tx, dialect);
  });
  const found = async (table: string, words: string) => {
    const matches = isOnSqlite
      ? fragment`${raw(table)} match ${`"${words.replace('<->', ' ')}"`} order by rowid`
      : fragment`words @@ cast(${words} as tsquery) order by id desc`;
    const id = raw(
      isOnSqlite ? '(4294967295 - (rowid >> 31)) * 1000 + (rowid & 2147483647)' : 'id * 1000 + repository_id',
    );
    const rows = await query<{ id: number }>(
      database.reader,
      fragment`select ${id} as id from ${raw(table)} where ${matches}`,
    );
    return rows.map((row) => Number(row.id));
  };

  assert.deepEqual(await found('issue_texts', 'pump<->leaks'), [5_003]);
  assert.deepEqual(await found('issue_texts', 'the<->tank'), [5_003]);
  assert.deepEqual(await found('issue_texts', 'tank'), [6_003, 5_003]);
  assert.deepEqual(await found('comment_texts', 'not<->the'), [7_003]);
  await database.transaction((tx) => query(tx, raw('delete from issue_entries where id = 7')));
  await database.transaction((tx) => query(tx, raw('delete from issues where id = 5')));
  assert.deepEqual(await found('issue_texts', 'tank'), [6_003]);
  assert.deepEqual(await found('comment_texts', 'tank'), []);
});
