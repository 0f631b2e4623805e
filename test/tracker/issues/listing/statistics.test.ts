import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../../src/base/database/database.ts';
import { directReadOf, readDirectly } from '../../../../src/base/database/direct-reads.ts';
import { fragment, raw } from '../../../../src/base/database/fragment.ts';
import { query } from '../../../../src/base/database/query.ts';
import { postgresServerUrl } from '../../../support/database/postgres-databases.ts';
import { ENGINE, ISSUES, open, startTracker } from '../tracker.ts';

const skip = postgresServerUrl() === undefined ? false : 'PostgreSQL keeps statistics that its plans need';
const ROWS = 1_000_000;
const FILTERS = [
  '',
  'labels=bug',
  'milestones=First',
  'created_by=ben',
  'assigned_by=ben',
  'labels=bug&assigned_by=ben',
  'labels=bug&created_by=ben',
];
const ORDERS = ['newest', 'recentupdate', 'mostcomment', 'nearduedate', 'farduedate'];
const TIMES = ['', 'since=2020-01-01T00:00:00Z'];
const URLS = [
  ...FILTERS.flatMap((filter) =>
    TIMES.flatMap((time) => ORDERS.map((order) => `${ISSUES}?state=all&${filter}&${time}&sort=${order}`)),
  ),
  ...[
    '',
    'labels=bug',
    'milestones=First',
    'created=true',
    'assigned=true',
    'q=pump&labels=bug',
    'q=pump',
  ].map((filter) => `/api/v1/repos/issues/search?${filter}`),
];

/** Records the statements of the reader that find issues. */
function recordFinding(database: Database): Set<string> {
  const recorded = new Set<string>();
  const read = directReadOf(database.reader);
  assert.ok(read !== undefined);
  readDirectly(database.reader, (sql, parameters) => {
    if (/\bissues [id]\b|issue_\w+ (?:d|link)\b/.test(sql) && !sql.startsWith('explain')) recorded.add(sql);
    return read(sql, parameters);
  });
  return recorded;
}

/** @param note makes the text another one, which is prepared anew */
async function plansOf(
  database: Database,
  statements: Iterable<string>,
  note: string,
): Promise<readonly string[]> {
  const plans: string[] = [];
  for (const sql of statements) {
    const steps = await query<{ detail: string }>(
      database.reader,
      raw(`explain query plan ${sql} -- ${note}`),
    );
    plans.push([sql, ...steps.map(({ detail }) => detail)].join('\n'));
  }
  return plans;
}

/** Statistics that make the indexes in use look useless, and all others perfect. */
async function mislead(database: Database, plans: readonly string[]): Promise<void> {
  const indexes = await query<{ tbl: string; name: string; columns: number }>(
    database.reader,
    raw(`select m.tbl_name as tbl, m.name, (select count(*) from pragma_index_info(m.name)) as columns
      from sqlite_master m where m.type = 'index' and m.tbl_name like 'issue%'`),
  );
  await database.transaction(async (tx) => {
    await query(tx, raw('analyze'));
    await query(tx, raw('delete from sqlite_stat1'));
    for (const { tbl, name, columns } of indexes) {
      const isUsed = plans.some((plan) => plan.includes(`INDEX ${name} `));
      const stat = [ROWS, ...Array(columns).fill(isUsed ? ROWS : 1)].join(' ');
      await query(tx, fragment`insert into sqlite_stat1 (tbl, idx, stat) values (${tbl}, ${name}, ${stat})`);
    }
  });
  // A connection reads statistics with the schema, when that has changed.
  await database.transaction((tx) => query(tx, raw('create table after_statistics (id integer)')));
  await query(database.reader, raw('select count(*) from after_statistics'));
}

test('statistics that an operator gathers do not change how issues are found', { skip }, async (t) => {
  const { forge, ada, ben } = await startTracker(t);
  const bug = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'f00' })).body.id;
  const milestone = (await ada.post(`${ENGINE}/milestones`, { title: 'First' })).body.id;
  await open(ben, 'The pump leaks', { labels: [bug], milestone, assignees: ['ben'] });
  const { database } = forge.forge.running.engines;
  const recorded = recordFinding(database);
  for (const url of URLS) assert.equal((await ben.get(url)).status, 200, url);
  const statements = [...recorded];
  assert.ok(statements.length > URLS.length / 2, 'the statements of most requests are recorded');
  const before = await plansOf(database, statements, 'before');

  await mislead(database, before);

  assert.deepEqual(await plansOf(database, statements, 'after'), before);
  const [all] = await query<{ detail: string }>(
    database.reader,
    raw('explain query plan select i.id from issues i where i.repository_id = 1 and i.is_pull = 0'),
  );
  assert.doesNotMatch(all?.detail ?? '', /issues_number /, 'the database uses the statistics');
});
