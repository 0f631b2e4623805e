import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '../../../src/base/database/database.ts';
import { fragment, raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'issue-search');

/** An issue 5 of repository 3 with a comment 7, and their words, as they were before. */
async function insertTexts(tx: Tx, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const owner = await insertAccount(tx, 'ada');
  const statements = [
    `insert into git_repositories (id, object_format, head) values (3, 'sha1', 'refs/heads/main')`,
    `insert into repositories (id, owner_id, name, lower_name, description, is_private, created_at, updated_at)
      values (3, ${owner}, 'engine', 'engine', '', 0, 0, 0)`,
    `insert into issues (id, repository_id, number, title, body, created_at, updated_at)
      values (5, 3, 1, 'Pump leaks', 'near the tank', 0, 0)`,
    `insert into issue_entries (id, issue_id, repository_id, kind, body, details, created_at, updated_at)
      values (7, 5, 3, 'comment', 'Not the tank', '{}', 0, 0)`,
    ...(dialect === 'sqlite'
      ? [
          `insert into issue_words (rowid, home, heading, title, body)
            values (5, '·3', 't·pump t·leaks', 'pump leaks', 'near the tank')`,
          `insert into comment_words (rowid, home, body) values (7, '·3', 'not the tank')`,
        ]
      : [
          `insert into issue_words (rowid, words)
            values (5, '''·3'':1 ''t·pump'':2 ''t·leaks'':3 ''pump'':20 ''leaks'':21 ''near'':40 ''the'':41 ''tank'':42')`,
          `insert into comment_words (rowid, words) values (7, '''·3'':1 ''not'':20 ''the'':21 ''tank'':22')`,
        ]),
  ];
  for (const statement of statements) await query(tx, raw(statement));
}

test('texts of issues and comments from before a search of many keep their words', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    await insertTexts(tx, dialect);
    await MIGRATIONS[STEP]?.up(tx, dialect);
  });
  const rows = async (table: string, id: string, words: string) => {
    const matches =
      dialect === 'sqlite'
        ? fragment`${raw(table)} match ${`"${words.replace('<->', ' ')}"`}`
        : fragment`words @@ cast(${words} as tsquery)`;
    return query<{ id: number }>(
      database.reader,
      fragment`select ${raw(id)} as id from ${raw(table)} where ${matches}`,
    );
  };
  const byText =
    dialect === 'sqlite' ? '(rowid >> 31) * 1000 + (rowid & 2147483647)' : 'id * 1000 + repository_id';
  const byRepository = '(rowid >> 32) * 1000 + 4294967295 - (rowid & 4294967295)';

  for (const words of ['pump<->leaks', 'the<->tank'])
    assert.deepEqual(await rows('issue_texts', byText, words), [{ id: 5_003 }], words);
  assert.deepEqual(await rows('comment_texts', byText, 'not<->the'), [{ id: 7_003 }]);
  if (dialect === 'sqlite') {
    assert.deepEqual(await rows('repository_issue_texts', byRepository, 't·pump'), [{ id: 3_005 }]);
    assert.deepEqual(await rows('repository_comment_texts', byRepository, 'tank'), [{ id: 3_007 }]);
  }
  const terms = await query<{ term: string }>(
    database.reader,
    fragment`select term from issue_terms order by term`,
  );
  assert.deepEqual(
    terms.map(({ term }) => term),
    ['leaks', 'near', 'not', 'pump', 'tank', 'the'],
  );
});
