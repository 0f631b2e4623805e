import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import { directReadOf, readDirectly } from '../src/base/database/direct-reads.ts';
import { fragment } from '../src/base/database/fragment.ts';
import { queryCount } from '../src/base/database/query.ts';
import { startPostgres } from '../test/support/database/postgres.ts';
import { startForge } from '../testing/index.ts';
import { makeTracker } from './corpus/tracker.ts';
import { LARGE, requestsOf } from './issues/requests.ts';
import { describeMachine, loadNow } from './report/machine.ts';

// Measures lists, searches and single issues with 1,000,000 issues in all, 100,000 of them in one repository, and shows how
// the database finds them. Server and client share one process, so the times include both.
//
//   node bench/issues.ts                     the embedded database
//   node bench/issues.ts --postgres          a PostgreSQL server that it starts, or the database DATABASE_URL
//   --save                                   keeps the results in bench/results/DATE-issues-ENGINE.md
//   --issues 100000                          another number in all; a tenth is in the one repository
//   --data FOLDER                            keeps the data there, and uses what an earlier run kept
//   --rounds 31                              how often each request runs
//   --only labels                            only requests that contain this text

const AIM_MS = 25;
const LIMIT = 50;
const PLAN_CHARS_MAX = 300;
const SQL_CHARS_MAX = 2_000;

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    issues: { type: 'string', default: '1000000' },
    only: { type: 'string', default: '' },
    postgres: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '31' },
    save: { type: 'boolean', default: false },
  },
});
const issues = Number(options.issues);
const inOne = issues / 10;
const rounds = Number(options.rounds);
let created = 0;
/** Statements whose plans are known: many requests share them. */
const shown = new Set<string>();

const machine = describeMachine();
const urlOfOther = process.env.DATABASE_URL;
const postgres =
  options.postgres && urlOfOther === undefined
    ? await startPostgres({ shared_buffers: '1GB', max_wal_size: '4GB', maintenance_work_mem: '512MB' })
    : undefined;
const databaseUrl = options.postgres ? (urlOfOther ?? postgres?.url) : undefined;
const forge = await startForge({
  ...(options.data === undefined ? {} : { dataFolder: options.data }),
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});
const { database } = forge.running.engines;
const { accounts, tokens } = forge.running.services;
try {
  await makeRows();
  const viewers = { admin: forge.admin.token, member: await tokenOf('user-7') };
  const lines: string[] = [];
  const plans: string[] = [];
  for (const request of requestsOf({ inOne, limit: LIMIT })) {
    if (!request.path.includes(options.only)) continue;
    const name = `\`${request.path}\`${request.as === 'admin' ? '' : ` as a ${request.as}`}`;
    const get = () => ask(request.path, viewers[request.as]);
    lines.push(await measured(name, get));
    process.stdout.write(`${lines.at(-1)}\n`);
    if (options.save) plans.push(...(await plansOf(name, get)));
  }
  lines.push(await measured(`POST \`${LARGE}\``, create));
  process.stdout.write(`${lines.at(-1)}\n`);
  if (options.save) save(lines, plans);
} finally {
  await forge.stop();
  await postgres?.stop();
}

async function makeRows(): Promise<void> {
  if ((await queryCount(database.reader, fragment`(select 1 from issues limit 1) x`)) > 0) return;
  const startedAt = performance.now();
  const root = await accounts.findByName('root');
  if (root === undefined) throw new Error('there is no root');
  const organizations = [];
  for (const username of ['guild', 'crew'])
    organizations.push((await (await post('/orgs', { username })).json()) as { id: number });
  const [guild, crew] = organizations.map(({ id }) => id);
  if (guild === undefined || crew === undefined) throw new Error('there are no organizations');
  await makeTracker(database, { user: root.id, guild, crew }, { issues, inOne });
  // PostgreSQL does so by itself after some time. The server gathers no statistics on the embedded database.
  // The first vacuum leaves out pages that a transaction of the server, open at the time, might still see as they were.
  if (database.dialect === 'postgres')
    for (const statement of ['vacuum', 'vacuum analyze'])
      await database.reader.executeQuery(CompiledQuery.raw(statement));
  process.stdout.write(`rows in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
  // The server has closed the connection meanwhile.
  await ask('/version', forge.admin.token).catch(() => {});
}

async function tokenOf(name: string): Promise<string> {
  const account = await accounts.findByName(name);
  if (account === undefined) throw new Error(`there is no ${name}`);
  return (await tokens.createFor(account, { name: `bench-${Date.now()}`, scopes: ['all'] })).token;
}

/** Measures a request, which returns the total of its list. A plus sign says that a search is not complete. */
async function measured(name: string, send: () => Promise<Response>): Promise<string> {
  const times: number[] = [];
  const cpu: number[] = [];
  let total = '';
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const response = await send();
    await response.text();
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
    const isIncomplete = response.headers.has('x-search-incomplete');
    total = `${response.headers.get('x-total-count') ?? ''}${isIncomplete ? '+' : ''}`;
  }
  // On a busy machine, the CPU of client and server is close to the time that a quiet machine would take.
  const isSlow = median(options.postgres ? times : cpu) > AIM_MS ? ' (!)' : '';
  const figures = [median(times), percentile(times, 0.95), median(cpu)].map((each) => each.toFixed(2));
  return `| ${name} | ${total} | ${figures.join(' | ')}${isSlow} |`;
}

function create(): Promise<Response> {
  created += 1;
  return post(LARGE, { title: `pump ${created} rattles`, body: 'See #7 and ask @user-7.' });
}

function post(path: string, body: object): Promise<Response> {
  return ask(path, forge.admin.token, { method: 'POST', body: JSON.stringify(body) });
}

/** @throws Error for a response without success */
async function ask(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
  const limited = path.includes('?') ? `${path}&limit=${LIMIT}` : path;
  const response = await fetch(`${forge.apiRoot}${limited}`, { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Runs a request, and returns how the database finds the issues in it, unless an earlier request showed it. */
async function plansOf(name: string, send: () => Promise<Response>): Promise<readonly string[]> {
  const { reader } = database;
  const run = reader.executeQuery.bind(reader);
  const read = directReadOf(reader);
  const seen: { readonly sql: string; readonly parameters: readonly unknown[] }[] = [];
  reader.executeQuery = (query, ...rest) => {
    seen.push('sql' in query ? query : query.compile());
    return run(query, ...rest);
  };
  if (read !== undefined)
    readDirectly(reader, (sql, parameters) => {
      seen.push({ sql, parameters });
      return read(sql, parameters);
    });
  try {
    await (await send()).text();
  } finally {
    reader.executeQuery = run;
    if (read !== undefined) readDirectly(reader, read);
  }
  const finding = seen.filter(
    ({ sql }) => /\bissues [id]\b|issue_\w+ [de]\b|_texts/.test(sql) && !/shows_author/.test(sql),
  );
  const explain = database.dialect === 'sqlite' ? 'explain query plan' : 'explain (analyze, buffers)';
  const plans: string[] = [];
  for (const { sql, parameters } of finding) {
    if (shown.has(sql)) continue;
    shown.add(sql);
    const { rows } = await run<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
    );
    const steps = rows.map((step) => String(step.detail ?? step['QUERY PLAN']).slice(0, PLAN_CHARS_MAX));
    const text = sql
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/(?:\?, ){9,}/g, '?, …, ')
      .slice(0, SQL_CHARS_MAX);
    plans.push('```', text, ...steps.filter(isOfPlan).map((step) => `    ${step}`), '```', '');
  }
  return plans.length === 0 ? [] : [`## ${name}`, '', ...plans];
}

/** Whether a line says how issues are found, or how long that took. The steps that decide who may read are the same in all. */
function isOfPlan(step: string): boolean {
  return !/^ *(?:Index Searches|Planning:|Buffers: shared hit=\d+$|Storage:|CREATE BLOOM FILTER|CORRELATED|S\w+ (?:tk|om|p|m|t|tr|g|o) )/.test(
    step,
  );
}

function save(lines: readonly string[], plans: readonly string[]): void {
  const date = new Date().toISOString().slice(0, 10);
  const file = join(import.meta.dirname, `results/${date}-issues-${database.dialect}.md`);
  const count = (number: number) => number.toLocaleString('en');
  const text = [
    `# ${date} lists and searches of ${count(issues)} issues, ${count(inOne)} in one repository, ${database.dialect}`,
    '',
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, Node ${machine.node}, Quire ${machine.commit ?? 'of unknown commit'}.`,
    `Load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it: with more than ${machine.cores} it was not quiet.`,
    `${rounds} rounds, ${LIMIT} records a page; milliseconds over HTTP, the total included. The aim is a median of ${AIM_MS} ms,`,
    'on SQLite of CPU time, which a busy machine changes less; rows that miss it end with (!). The CPU is that of client and server,',
    'without PostgreSQL. A total with + says that the search is not complete.',
    '',
    '| request | total | median | p95 | CPU, median |',
    '|---|--:|--:|--:|--:|',
    ...lines,
    '',
    '# Plans',
    '',
    ...plans,
  ];
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
  writeFileSync(file, text.join('\n'));
  process.stdout.write(`kept as ${file}\n`);
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
