import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { COSTS, type Cost, watchCosts } from '../../src/base/core/costs.ts';
import { postgresServerUrl } from '../support/database/postgres-databases.ts';
import { COUNTED_REQUESTS, type CountedRequest } from './requests.ts';
import { prepareStage, type Stage } from './stage.ts';

const FILE = path.resolve(import.meta.dirname, '../../docs/costs.md');
/** Environment variable: if set, the test writes the columns of its database before it compares. */
const RENEW = 'QUIRE_TEST_RENEW';
const COMMAND = `${RENEW}=1 npm test -- --parallel 1 test/costs`;

const IS_POSTGRES = postgresServerUrl() !== undefined;
const SQL = { sqlite: 'statements on SQLite', postgres: 'statements on PostgreSQL' } as const;
const OWN_SQL = IS_POSTGRES ? SQL.postgres : SQL.sqlite;
const OTHER_SQL = IS_POSTGRES ? SQL.sqlite : SQL.postgres;
const COLUMNS = ['request', SQL.sqlite, SQL.postgres, ...COSTS.filter((cost) => cost !== 'statements')];

type Row = Readonly<Record<string, string>>;

async function costsOf(stage: Stage, request: CountedRequest, turn: number): Promise<Map<Cost, number>> {
  const counts = new Map<Cost, number>();
  const work = await request.prepare(stage, turn);
  await stage.waitForWrites();
  const unwatch = watchCosts((cost, count) => counts.set(cost, (counts.get(cost) ?? 0) + count));
  try {
    await work();
    await stage.waitForWrites();
  } finally {
    unwatch();
  }
  return counts;
}

async function countedRow(stage: Stage, request: CountedRequest): Promise<Row> {
  const first = await costsOf(stage, request, 1);
  const again = await costsOf(stage, request, 2);
  const cells = COSTS.map((cost) => {
    const [once, twice] = [first.get(cost) ?? 0, again.get(cost) ?? 0];
    return [cost === 'statements' ? OWN_SQL : cost, once === twice ? `${once}` : `${once}, ${twice}`];
  });
  return { request: request.name, ...Object.fromEntries(cells) };
}

function parsed(page: string): readonly Row[] {
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  const [headings = [], ...rows] = lines.map((line) => line.slice(2, -2).split(' | '));
  return rows.map((cells) =>
    Object.fromEntries(headings.map((heading, index) => [heading, cells[index] ?? ''])),
  );
}

function rowOf(rows: readonly Row[], request: string | undefined): Row {
  return rows.find((row) => row.request === request) ?? {};
}

function differences(before: Row, now: Row): readonly string[] {
  return COLUMNS.filter((column) => before[column] !== now[column]).map(
    (column) => `${now.request}: ${column} were ${before[column] ?? 'not counted'} and are ${now[column]}`,
  );
}

function printed(rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    HEADING,
    line(COLUMNS),
    `|${COLUMNS.map(() => '---|').join('')}`,
    ...rows.map((row) => line(COLUMNS.map((column) => row[column] ?? '?'))),
    '',
  ].join('\n');
}

const HEADING = `# What requests cost

\`test/costs/costs.test.ts\` generates this page from requests to a real server, and fails if a number has changed. To renew
it, run \`${COMMAND}\`, and look at each difference: it is the cost of your change.

The page counts work instead of time, so it is the same on every machine. If a cell has two numbers, the first is for the
first request after a start, when all caches are empty, and the second for the next request of the same kind.

- Statements do not include the begin and the end of transactions, nor the look at SQLite's counter of changes that keeps
  the rows of a caller. On SQLite, a transaction that writes makes one more sync.
- Syncs are those of files and folders that the server writes itself. Those of git processes do not count.
- An object is asked for if it is in no cache; its type and its content are two questions. Bytes are those of its content.
- Work of jobs does not count, nor does writing objects to files after a change, because both happen later.
`;

test('each main request costs what docs/costs.md says', async (t) => {
  const restart = await prepareStage(t);

  const counted: Row[] = [];
  for (const request of COUNTED_REQUESTS) counted.push(await countedRow(await restart(), request));

  const before = parsed(readFileSync(FILE, { encoding: 'utf8', flag: 'a+' }));
  const rows = counted.map((row) => ({ ...row, [OTHER_SQL]: rowOf(before, row.request)[OTHER_SQL] ?? '?' }));
  if (process.env[RENEW] !== undefined) writeFileSync(FILE, printed(rows));
  const page = readFileSync(FILE, 'utf8');
  assert.deepEqual(
    rows.flatMap((row) => differences(rowOf(parsed(page), row.request), row)),
    [],
    `requests do not cost what docs/costs.md says: check each change, then run ${COMMAND}`,
  );
  assert.equal(page, printed(rows));
});
