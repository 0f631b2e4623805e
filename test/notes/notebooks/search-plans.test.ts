import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { listChangedTexts } from '../../../src/notes/notebooks/store/search.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { planOf, statementsOf } from '../../support/database/statements.ts';

const COUNT = 4_000;
const TEXT = 'text '.repeat(300);

const FILL = [
  `insert into accounts (id, kind, name, lower_name, full_name, email, created_at, updated_at)
    values (1, 'user', 'ada', 'ada', '', '', 0, 0)`,
  `insert into repositories (id, owner_id, name, lower_name, is_private, archived_at, created_at, updated_at)
    values (1, 1, 'Notes', 'notes', 1, null, 0, 0)`,
  `insert into notebooks (id, repository_id, folder, indexed_commit, incarnation, counter)
    values (1, 1, '', null, 'a', 1)`,
  `insert into notes (notebook_id, path, oid, title, category, content, content_hash, problem, modified_at,
    last_update_at, deleted_at, counter)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT})
    select 1, i || '.md', '', 'title ' || i, '', '${TEXT}', '', null, 0, 0, null, 1 from n`,
  'analyze',
];

test('making many notes searchable reads each of them once, not all that remain for each batch', async (t) => {
  const database = await openTestDatabase(t);
  for (const text of FILL) await database.transaction((tx) => tx.executeQuery(CompiledQuery.raw(text)));
  const key = { notebookId: 1, since: { counter: 1, noteId: COUNT / 2 } };

  const { found, statements } = await statementsOf(database, (db) =>
    listChangedTexts(db, key, { limit: 100, charsMax: 4 }),
  );

  const [first] = found?.notes ?? [];
  assert.deepEqual([found?.counter, found?.notes.length, first?.id], [1, 100, COUNT / 2 + 1]);
  assert.equal(first?.content, 'text');
  const [statement, ...others] = statements;
  assert.deepEqual(others, []);
  assert.ok(statement !== undefined);
  const plan = await planOf(database, statement);
  assert.match(plan, /notes_counter/);
  // With statistics, the key may find the rest of one counter.
  if (database.dialect === 'sqlite')
    assert.match(plan, /PRIMARY KEY \(rowid>\?\)|notes_counter \(notebook_id=\? AND counter=\? AND id>\?\)/);
  assert.doesNotMatch(plan, /SCAN notes\b|Bitmap|Seq Scan on notes\b/);
});
