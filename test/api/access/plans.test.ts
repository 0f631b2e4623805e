import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { ANONYMOUS, BY_PASSWORD, type Viewer, viewerOf } from '../../../src/api/access/viewer.ts';
import type { Database, Db, Scalar } from '../../../src/base/database/database.ts';
import { ListPlanner } from '../../../src/hosting/repositories/listing/plan.ts';
import type { RepositorySelection } from '../../../src/hosting/repositories/selection.ts';
import { listAssignees, listReviewers } from '../../../src/hosting/repositories/store/assignable.ts';
import { listStarredBy, listWatchedBy } from '../../../src/hosting/repositories/store/lists.ts';
import { findRepository, findRepositoryById } from '../../../src/hosting/repositories/store/records.ts';
import { findNewPath } from '../../../src/hosting/repositories/store/redirects.ts';
import { STAR_ROWS, WATCH_ROWS } from '../../../src/hosting/stars/store.ts';
import { findVisibleAccount } from '../../../src/people/accounts/store/accounts.ts';
import { findOrganization } from '../../../src/people/organizations/store/organizations.ts';
import { findTeam } from '../../../src/people/teams/store/teams.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { planOf, statementsOf } from '../../support/database/statements.ts';

/** A member of a few hundred organizations. */
const VIEWER = viewerOf({ id: 1, name: 'a-1', isAdmin: false, isRestricted: false }, BY_PASSWORD);
const COUNT = 4_000;
const PAGE = { page: 1, limit: 30 };

const FILL = [
  `insert into accounts (kind, name, lower_name, full_name, email, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT})
    select case when i % 2 = 0 then 'organization' else 'user' end, 'a-' || i, 'a-' || i, '', '', i, i from n`,
  "insert into organizations (id, repository_admins_change_teams) select id, 0 from accounts where kind = 'organization'",
  `insert into teams (organization_id, name, lower_name, description, level, includes_all_repositories,
    can_create_repositories, created_at, code_level) select id, 'team', 'team', '', 2, 0, 0, 0, 2 from organizations`,
  `insert into teams (organization_id, name, lower_name, description, level, includes_all_repositories,
    can_create_repositories, created_at, code_level) select id, 'Owners', 'owners', '', 4, 1, 1, 0, 4 from organizations`,
  `insert into team_members (team_id, account_id, organization_id, created_at)
    select id, organization_id - 1, organization_id, 0 from teams
    union select id, 1, organization_id, 0 from teams where organization_id % 10 = 0 and level = 2`,
  `insert into organization_members (organization_id, account_id, created_at, is_public)
    select distinct organization_id, account_id, 0, 0 from team_members`,
  `insert into repositories (id, owner_id, name, lower_name, is_private, archived_at, created_at, updated_at)
    select id, id, 'handbook', 'handbook', 1, null, 0, 0 from accounts`,
  "insert into git_repositories (id, object_format, head) select id, 'sha1', 'refs/heads/main' from repositories",
  "insert into account_redirects (lower_name, account_id, created_at) select 'b-' || id, id, 0 from accounts",
  `insert into repository_redirects (owner_id, lower_name, repository_id, created_at)
    select id, 'manual', id, 0 from accounts`,
  `insert into team_repositories (team_id, repository_id, created_at) select id, organization_id, 0 from teams
    where level = 2`,
  `insert into collaborations (repository_id, account_id, level, created_at)
    select id, 1, 'read', 0 from repositories where id % 7 = 3`,
  `insert into repository_transfers (repository_id, doer_id, recipient_id, created_at)
    select id, id, id - 1, 0 from repositories where id % 4 = 0`,
  'insert into blocks (blocker_id, blocked_id, created_at) select id, id - 1, 0 from accounts where id > 1',
  ...['stars', 'watches'].map(
    (table) => `insert into ${table} (account_id, repository_id, created_at)
      select a.id, a.id, a.id from accounts a where a.kind = 'user'
      union select a.id, 21, a.id from accounts a where a.kind = 'user' and a.id < 50`,
  ),
];

/** Opens a database with so many rows that no planner with statistics reads a whole table for one row. */
async function filledDatabase(t: TestContext): Promise<Database> {
  const database = await openTestDatabase(t);
  await database.transaction(async (tx) => {
    for (const text of FILL) await tx.executeQuery(CompiledQuery.raw(text));
  });
  await database.transaction((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
  return database;
}

const LOOK_UPS: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  'a repository by its path': (db) => findRepository(db, VIEWER, { owner: 'a-20', name: 'handbook' }),
  'a repository by its id': (db) => findRepositoryById(db, VIEWER, 20),
  'a repository by the former names of it and its owner': (db) =>
    findNewPath(db, VIEWER, { owner: 'b-20', name: 'manual' }),
  'an organization by its name': (db) => findOrganization(db, VIEWER, 'a-20'),
  'a team by its id': (db) => findTeam(db, VIEWER, 10),
  'an account by its name': (db) => findVisibleAccount(db, VIEWER, 'a-19'),
};

const LISTS: Readonly<Record<string, (db: Db) => Promise<{ readonly total: number }>>> = {
  'the repositories that an account has starred': (db) => listStarredBy(db, VIEWER, 1, PAGE),
  'the repositories that an account watches': (db) => listWatchedBy(db, VIEWER, 1, PAGE),
  'the accounts that have starred a repository': (db) => STAR_ROWS.listPeople(db, VIEWER, 21, PAGE),
  'the accounts that watch a repository': (db) => WATCH_ROWS.listPeople(db, VIEWER, 21, PAGE),
  'the accounts that can be assigned to an issue': (db) => listAssignees(db, VIEWER, 20, PAGE),
  'the accounts that can review': (db) => listReviewers(db, VIEWER, 20, PAGE),
};

/** These tests share a database, because filling one takes longer than all of them, and none of them writes. */
test('on a site with thousands of accounts, statements for a row or a page scan no table', async (t) => {
  const database = await filledDatabase(t);
  for (const [what, read] of Object.entries(LOOK_UPS)) {
    await t.test(`finding ${what}, with the viewer's level, takes one query that scans no table`, () =>
      findsByIndex(database, read),
    );
  }
  for (const [what, read] of Object.entries(LISTS)) {
    await t.test(`listing ${what} takes one page query and one count, which scan no table`, () =>
      listsByIndex(database, read),
    );
  }
  await t.test('a page of users comes from an index without sorting, in any order', () =>
    ordersUsersByIndex(database),
  );
});

async function findsByIndex(database: Database, read: (db: Db) => Promise<unknown>): Promise<void> {
  const { found, statements } = await statementsOf(database, read);

  assert.notEqual(found, undefined);
  assert.equal(statements.length, 1, statements.map((query) => query.sql).join(';\n'));
  for (const query of statements) {
    const plan = await planOf(database, query);
    assert.match(plan, /USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY|Index/);
    assert.doesNotMatch(plan, /^\s*SCAN (?!CONSTANT)|Seq Scan/m, plan);
  }
}

async function listsByIndex(
  database: Database,
  read: (db: Db) => Promise<{ readonly total: number }>,
): Promise<void> {
  const { found, statements } = await statementsOf(database, read);

  assert.ok(found.total > 0);
  assert.ok(statements.length >= 2 && statements.length <= 4, statements.map(({ sql }) => sql).join(';\n'));
  for (const query of statements.slice(0, 2)) {
    const plan = await planOf(database, query);
    // PostgreSQL may scan other tables if most of their rows belong to the viewer, such as `collaborations`.
    assert.doesNotMatch(plan, /^\s*SCAN (?!CONSTANT)|Seq Scan on (?:stars|watches|repositories|team)/m, plan);
  }
}

async function ordersUsersByIndex(database: Database): Promise<void> {
  const [limit, offset] = database.dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
  const parameters: readonly Scalar[] = [50, 900];
  for (const order of ['lower_name', 'created_at, o.id', 'updated_at, o.id', 'created_at desc, o.id desc']) {
    const page = `select o.id from accounts o where o.kind = 'user' order by o.${order} limit ${limit} offset ${offset}`;
    const sql = `select a.* from (${page}) p join accounts a on a.id = p.id`;

    const plan = await planOf(database, { sql, parameters });

    assert.match(plan, /COVERING INDEX accounts_by_|Index Only Scan( Backward)? using accounts_by_/, plan);
    assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, plan);
  }
}

const FOREST = [
  `insert into repositories (id, owner_id, name, lower_name, is_private, archived_at, created_at, updated_at, topics,
    description) with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    select 10000 + i, 1 + (i * 7) % 4000, 'oak-' || i, 'oak-' || i, case when i % 10 = 3 then 1 else 0 end, null, i, i,
    case when i % 500 = 0 then 'zephyr' else '' end, 'a tree' from n`,
];

/** The first open repositories, which end there if they are few. */
const FEW_OPEN = /SEARCH r USING INTEGER PRIMARY KEY.*SEARCH r USING COVERING INDEX repositories_by_text/s;

/** Each way to find a page, with a pattern for the plan of each of its statements in each database. */
const PAGES: readonly (readonly [
  about: string,
  viewer: Viewer,
  selection: RepositorySelection,
  sqlite: readonly RegExp[],
  postgres: readonly RegExp[],
])[] = [
  [
    'all repositories, counted in one index and listed in the order of another',
    ANONYMOUS,
    {},
    [
      FEW_OPEN,
      /SEARCH r USING COVERING INDEX repositories_by_text/,
      /SCAN r USING COVERING INDEX repositories_by_name/,
    ],
    [/repositories/, /repositories/, /repositories_by_name/],
  ],
  [
    'all repositories, by their last change',
    ANONYMOUS,
    { order: { by: 'change', isDescending: true } },
    [
      FEW_OPEN,
      /SEARCH r USING COVERING INDEX repositories_by_text/,
      /SCAN r USING COVERING INDEX repositories_by_change/,
    ],
    [/repositories/, /repositories/, /repositories_by_change/],
  ],
  [
    'a rare word, found by trigrams',
    ANONYMOUS,
    { words: [{ kind: 'text', text: 'zephyr', inDescription: false }] },
    [/VIRTUAL TABLE/, /INTEGER PRIMARY KEY/],
    [/repositories_text_trigrams/],
  ],
  [
    'a word in nearly every repository',
    ANONYMOUS,
    { words: [{ kind: 'text', text: 'oak-', inDescription: false }] },
    [
      /VIRTUAL TABLE/,
      /COVERING INDEX repositories_by_text/,
      /SCAN r USING COVERING INDEX repositories_by_name/,
    ],
    [/repositories/, /repositories/, /repositories_by_name/],
  ],
  [
    'two rare characters',
    ANONYMOUS,
    { words: [{ kind: 'text', text: 'ep', inDescription: false }] },
    [FEW_OPEN],
    [/repositories/],
  ],
  [
    'repositories of one owner',
    VIEWER,
    { of: { accountId: 20, part: 'owned' } },
    [
      /SEARCH r USING INDEX repositories_(by_owner|owner_name)|SEARCH r USING (COVERING )?INDEX/,
      /SEARCH r USING/,
    ],
    [/Index/, /Index/],
  ],
  [
    'repositories of the viewer',
    VIEWER,
    { of: { accountId: 1, part: 'both' } },
    [/SEARCH r USING INTEGER PRIMARY KEY/, /SEARCH r USING INTEGER PRIMARY KEY/],
    [/Index/, /Index/],
  ],
];

test('a page of repositories and its total come from indexes, for every query', async (t) => {
  const database = await filledDatabase(t);
  await database.transaction(async (tx) => {
    for (const text of FOREST) await tx.executeQuery(CompiledQuery.raw(text));
  });
  await database.transaction((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
  const isSqlite = database.dialect === 'sqlite';
  for (const [about, viewer, selection, sqlite, postgres] of PAGES) {
    const { found, statements } = await statementsOf(database, (db) =>
      new ListPlanner().list(db, viewer, selection, { page: 1, limit: 50 }),
    );

    assert.ok(found.total > 0, about);
    const listing = statements.filter((query) => !/search_(versions|changes)/.test(query.sql));
    const plans = await Promise.all(listing.map((query) => planOf(database, query)));
    const expected = isSqlite ? sqlite : postgres;
    assert.equal(plans.length, expected.length, `${about}: ${plans.join('\n--\n')}`);
    for (const [index, plan] of plans.entries()) {
      assert.match(plan, expected[index] ?? /never/, `${about}: ${plan}`);
      if (isSqlite) assert.doesNotMatch(plan, /SCAN r(?! USING COVERING INDEX)/, `${about}: ${plan}`);
    }
  }
});
