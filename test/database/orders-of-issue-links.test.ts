import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../src/database/fragment.ts';
import { MIGRATIONS } from '../../src/database/migrations/index.ts';
import { query } from '../../src/database/query.ts';
import { databaseLocation } from '../support/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'orders-of-issue-links');

test('labels, assignees and mentions from before get the comments and the due date of their issue, and follow it from then on', async (t) => {
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, STEP)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    for (const statement of [
      `insert into git_repositories (id, object_format, head) values (3, 'sha1', 'refs/heads/main')`,
      `insert into repositories (id, owner_id, name, lower_name, description, is_private, created_at, updated_at)
        values (3, ${owner}, 'engine', 'engine', '', 0, 0, 0)`,
      `insert into labels (id, repository_id, name, color, description, created_at) values (4, 3, 'bug', 'f00', '', 0)`,
      `insert into issues (id, repository_id, number, title, body, created_at, updated_at, comments_count, due_at)
        values (5, 3, 1, '', '', 0, 50, 2, 900), (6, 3, 2, '', '', 0, 60, 0, null)`,
      ...['labels', 'assignees', 'mentions'].map((kind) => {
        const subject = kind === 'labels' ? 4 : owner;
        return `insert into issue_${kind} (issue_id, subject_id, repository_id, is_pull, is_closed, updated_at)
          values (5, ${subject}, 3, 0, 0, 50), (6, ${subject}, 3, 0, 0, 60)`;
      }),
    ])
      await query(tx, raw(statement));
    await MIGRATIONS[STEP]?.up(tx, dialect);
  });
  const links = async () =>
    Promise.all(
      ['labels', 'assignees', 'mentions'].map((kind) =>
        query(
          database.reader,
          raw(
            `select issue_id as id, is_closed, updated_at, comments_count, due_at from issue_${kind} order by issue_id`,
          ),
        ),
      ),
    );
  const before = [
    { id: 5, is_closed: 0, updated_at: 50, comments_count: 2, due_at: 900 },
    { id: 6, is_closed: 0, updated_at: 60, comments_count: 0, due_at: null },
  ];
  assert.deepEqual(await links(), [before, before, before]);

  const change = (set: string) =>
    database.transaction((tx) => query(tx, raw(`update issues set ${set} where id = 5`)));
  await change('comments_count = 3, updated_at = 70');
  const commented = { ...before[0], updated_at: 70, comments_count: 3 };
  assert.deepEqual(await links(), Array(3).fill([commented, before[1]]));
  await change('is_closed = 1, due_at = null');
  assert.deepEqual(await links(), Array(3).fill([{ ...commented, is_closed: 1, due_at: null }, before[1]]));
});
