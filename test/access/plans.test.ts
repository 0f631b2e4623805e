import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import {
  ACCOUNT_VISIBLE,
  heldParameters,
  ORGANIZATION_STANDING,
  standingParameters,
  viewerParameter,
  visibleParameters,
} from '../../src/access/held.ts';
import { BY_PASSWORD, viewerOf } from '../../src/access/viewer.ts';
import type { Database, Scalar } from '../../src/database/database.ts';
import { COLUMNS, JOINS } from '../../src/repositories/store/records.ts';
import { openTestDatabase } from '../support/databases.ts';

const VIEWER = viewerOf({ id: 7, name: 'ada', isAdmin: false, isRestricted: false }, BY_PASSWORD);
const self = viewerParameter(VIEWER);

const QUERIES: Readonly<Record<string, { text: string; parameters: readonly Scalar[] }>> = {
  'a repository by its path': {
    text: `select ${COLUMNS} from accounts o ${JOINS} where o.lower_name = ? and r.lower_name = ?`,
    parameters: [...heldParameters(VIEWER), self, 'guild', 'handbook'],
  },
  'a repository by its id': {
    text: `select ${COLUMNS} from accounts o ${JOINS} where r.id = ?`,
    parameters: [...heldParameters(VIEWER), self, 1],
  },
  'an organization by its name': {
    text: `select o.id, ${ORGANIZATION_STANDING} as standing from accounts o join organizations g on g.id = o.id
      where o.lower_name = ?`,
    parameters: [...standingParameters(VIEWER), 'guild'],
  },
  'an account by its name': {
    text: `select o.id from accounts o where o.lower_name = ? and ${ACCOUNT_VISIBLE} = 1`,
    parameters: ['ada', ...visibleParameters(VIEWER)],
  },
};

/** The lines of a plan. PostgreSQL is told to take an index where there is one: tables of a test are too small for that. */
async function planOf(
  database: Database,
  query: { text: string; parameters: readonly Scalar[] },
): Promise<string> {
  return database.transaction(async (tx) => {
    const isSqlite = database.dialect === 'sqlite';
    if (!isSqlite) await tx.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'));
    const parts = query.text.split('?');
    const numbered = parts.reduce((text, part, index) => `${text}$${index}${part}`);
    const explained = isSqlite ? `explain query plan ${query.text}` : `explain ${numbered}`;
    const { rows } = await tx.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(explained, [...query.parameters]),
    );
    return rows.map((row) => String(row.detail ?? row['QUERY PLAN'])).join('\n');
  });
}

for (const [what, query] of Object.entries(QUERIES)) {
  test(`what a viewer holds on ${what} is one query that reads no table from end to end`, async (t) => {
    const database = await openTestDatabase(t);

    const plan = await planOf(database, query);

    assert.match(plan, /USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY|Index/);
    assert.doesNotMatch(plan, /^\s*SCAN (?!CONSTANT)|Seq Scan/m, plan);
  });
}

test('a page of users is found in an index, without sorting, whatever the order', async (t) => {
  const database = await openTestDatabase(t);
  for (const order of ['lower_name', 'created_at, o.id', 'updated_at, o.id', 'created_at desc, o.id desc']) {
    const plan = await planOf(database, {
      text: `select a.* from (select o.id from accounts o where o.kind = 'user' order by o.${order} limit ? offset ?) p
        join accounts a on a.id = p.id`,
      parameters: [50, 9_950],
    });

    assert.match(plan, /COVERING INDEX accounts_by_|Index Only Scan( Backward)? using accounts_by_/, plan);
    assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, plan);
  }
});
