import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import { REPOSITORY_LIMITS } from '../../../src/hosting/repositories/limits.ts';
import { ListPlanner } from '../../../src/hosting/repositories/listing/plan.ts';
import type { SearchWords } from '../../../src/hosting/repositories/selection.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { statementsOf } from '../../support/database/statements.ts';

const KINDS = ['parser', 'service', 'serviceable', 'kernel', 'kernel-ice'];
const NAMES = Array.from({ length: 600 }, (_, index) => `${KINDS[index % 5]}-of-${index * 7_919}`);
/** One has its trigrams in a name, but not one after the other. */
const ODD = ['servi-rvice-vic', 'say-"quoted"-words'];
const WORDS = [
  'kernel-of-23757',
  'service-of-',
  'serviceable-of-2',
  'services',
  '"quoted"',
  'of-4735562',
  'missing-word',
];

test('a long word finds every name that contains it, and no other, whichever of its parts are rare', async (t) => {
  const database = await openTestDatabase(t);
  const all = [...NAMES, ...ODD];
  const values = all.map(
    (name, index) => `(${index + 1}, 1, '${name}', '${name}', 'About ${name}.', 0, 0, 0)`,
  );
  await database.transaction(async (tx) => {
    for (const statement of [
      "insert into accounts (id, kind, name, lower_name, full_name, email, created_at, updated_at) values (1, 'user', 'ada', 'ada', '', '', 0, 0)",
      `insert into repositories (id, owner_id, name, lower_name, description, is_private, created_at, updated_at) values ${values.join(', ')}`,
    ])
      await tx.executeQuery(CompiledQuery.raw(statement));
  });
  // With room for few candidates, the rarest trigrams do not suffice.
  for (const planner of [new ListPlanner(), new ListPlanner({ sortedMax: 3 })])
    for (const [first = '', second] of WORDS.map((word, index) => [word, WORDS[index + 1]])) {
      const texts = second === undefined ? [first] : [first, second];
      const words = texts.map(
        (text, index): SearchWords => ({ kind: 'text', text, inDescription: index === 0 }),
      );
      const expected = all
        .flatMap((name, index) => (texts.some((text) => name.includes(text)) ? [index + 1] : []))
        .sort((one, other) => one - other);
      const { found } = await statementsOf(database, (db) =>
        planner.list(
          db,
          ANONYMOUS,
          { words, order: { by: 'id', isDescending: false } },
          { page: 1, limit: 999 },
        ),
      );
      assert.deepEqual(found, { items: expected, total: expected.length }, texts.join(' or '));
    }
});

test('the lists of frequent trigrams are not walked for a word that has rare ones', async (t) => {
  const database = await openTestDatabase(t);
  if (database.dialect !== 'sqlite') return t.skip('PostgreSQL chooses what it reads');
  const words = [{ kind: 'text', text: 'kernel-of-23757', inDescription: false }] as const;
  const { statements } = await statementsOf(database, (db) =>
    new ListPlanner().list(db, ANONYMOUS, { words }, { page: 1, limit: 50 }),
  );
  const searched = statements.flatMap(({ sql, parameters }) => {
    const [text] = parameters;
    return sql.includes('repository_trigrams match ?') && typeof text === 'string' ? [text] : [];
  });
  assert.equal(searched.length, 1);
  assert.equal(searched[0]?.match(/"/g)?.length, 2 * REPOSITORY_LIMITS.searchTrigramsRare);
});
