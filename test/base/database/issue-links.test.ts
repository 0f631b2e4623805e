import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/base/database/database.ts';
import { raw } from '../../../src/base/database/fragment.ts';
import { MIGRATIONS } from '../../../src/base/database/migrations/index.ts';
import { query } from '../../../src/base/database/query.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

const KINDS = ['labels', 'assignees', 'mentions'];

/**
 * Opens a database in which a migration has changed two issues from before, each with a link of each kind.
 *
 * @param name of the migration
 * @param old columns of the issues, with their values for issues 5 and 6; `linked` are those that links had before, too
 */
async function migrateLinks(
  t: TestContext,
  name: string,
  old: { columns: readonly string[]; linked: readonly string[]; values: readonly [string, string] },
): Promise<Database> {
  const step = MIGRATIONS.findIndex((migration) => migration.name === name);
  const database = openAt(t, await databaseLocation(t, { schema: 'empty' }));
  const { dialect } = database;
  await database.transaction(async (tx) => {
    for (const migration of MIGRATIONS.slice(0, step)) await migration.up(tx, dialect);
    const owner = await insertAccount(tx, 'ada');
    const [first, second] = old.values;
    for (const statement of [
      `insert into git_repositories (id, object_format, head) values (3, 'sha1', 'refs/heads/main')`,
      `insert into repositories (id, owner_id, name, lower_name, description, is_private, created_at, updated_at)
        values (3, ${owner}, 'engine', 'engine', '', 0, 0, 0)`,
      `insert into labels (id, repository_id, name, color, description, created_at) values (4, 3, 'bug', 'f00', '', 0)`,
      `insert into issues (id, repository_id, number, title, body, created_at, ${old.columns.join(', ')})
        values (5, 3, 1, '', '', 0, ${first}), (6, 3, 2, '', '', 0, ${second})`,
      ...KINDS.map((kind) => {
        const columns = ['issue_id', 'subject_id', 'repository_id', 'is_pull', 'is_closed', ...old.linked];
        const linked = ['0', '0', ...old.linked].join(', ');
        return `insert into issue_${kind} (${columns.join(', ')})
          select id, ${kind === 'labels' ? 4 : owner}, 3, ${linked} from issues`;
      }),
    ])
      await query(tx, raw(statement));
    await MIGRATIONS[step]?.up(tx, dialect);
  });
  return database;
}

function linksOf(database: Database, columns: string): Promise<readonly (readonly object[])[]> {
  return Promise.all(
    KINDS.map((kind) =>
      query<object>(
        database.reader,
        raw(`select issue_id as id, ${columns} from issue_${kind} order by issue_id`),
      ),
    ),
  );
}

function changeFirst(database: Database, set: string): Promise<unknown> {
  return database.transaction((tx) => query(tx, raw(`update issues set ${set} where id = 5`)));
}

test('labels, assignees and mentions from before get the time of their issue, and follow it from then on', async (t) => {
  const old = { columns: ['updated_at'], linked: [], values: ['50', '60'] } as const;
  const database = await migrateLinks(t, 'times-of-issue-links', old);
  const links = () => linksOf(database, 'is_closed, updated_at');
  const first = { id: 5, is_closed: 0, updated_at: 50 };
  const second = { id: 6, is_closed: 0, updated_at: 60 };
  assert.deepEqual(await links(), Array(3).fill([first, second]));

  await changeFirst(database, 'is_closed = 1, updated_at = 70');
  assert.deepEqual(await links(), Array(3).fill([{ id: 5, is_closed: 1, updated_at: 70 }, second]));
});

test('labels, assignees and mentions from before get the comments and the due date of their issue, and follow it from then on', async (t) => {
  const columns = ['updated_at', 'comments_count', 'due_at'];
  const values = ['50, 2, 900', '60, 0, null'] as const;
  const database = await migrateLinks(t, 'orders-of-issue-links', {
    columns,
    linked: ['updated_at'],
    values,
  });
  const links = () => linksOf(database, 'is_closed, updated_at, comments_count, due_at');
  const first = { id: 5, is_closed: 0, updated_at: 50, comments_count: 2, due_at: 900 };
  const second = { id: 6, is_closed: 0, updated_at: 60, comments_count: 0, due_at: null };
  assert.deepEqual(await links(), Array(3).fill([first, second]));

  await changeFirst(database, 'comments_count = 3, updated_at = 70');
  const commented = { ...first, updated_at: 70, comments_count: 3 };
  assert.deepEqual(await links(), Array(3).fill([commented, second]));
  await changeFirst(database, 'is_closed = 1, due_at = null');
  assert.deepEqual(await links(), Array(3).fill([{ ...commented, is_closed: 1, due_at: null }, second]));
});
