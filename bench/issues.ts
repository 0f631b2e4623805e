import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import { directReadOf, readDirectly } from '../src/database/direct-reads.ts';
import { startForge } from '../testing/index.ts';
import { makeTracker } from './corpus/tracker.ts';
import { describeMachine, loadNow } from './report/machine.ts';

// Measures lists, searches and single issues with 1,000,000 issues in all, 100,000 of them in one repository, and shows how
// the database finds them. Server and client share one process, so the times include both.
//
//   node bench/issues.ts                     the embedded database
//   DATABASE_URL=… node bench/issues.ts      an empty PostgreSQL database
//   --save                                   keeps the results in bench/results/DATE-issues-ENGINE.md
//   --issues 100000                          another number in all; a tenth is in the one repository

const ROUNDS = 31;
const AIM_MS = 10;
const LIMIT = 50;
const LARGE = '/repos/root/large/issues';

const { values: options } = parseArgs({
  options: { save: { type: 'boolean', default: false }, issues: { type: 'string', default: '1000000' } },
});
const issues = Number(options.issues);
const inOne = issues / 10;
const lastPage = (of: number) => Math.max(1, Math.floor((inOne * of) / LIMIT));

/** Paths to measure, below the root of the API. */
const PATHS = [
  `${LARGE}?`,
  `${LARGE}?page=${lastPage(0.3)}`,
  `${LARGE}?state=closed`,
  `${LARGE}?state=all`,
  `${LARGE}?state=all&page=${lastPage(1)}`,
  `${LARGE}?type=issues&state=all`,
  ...[
    'oldest',
    'recentupdate',
    'leastupdate',
    'mostcomment',
    'leastcomment',
    'nearduedate',
    'farduedate',
  ].map((sort) => `${LARGE}?state=all&sort=${sort}`),
  `${LARGE}?state=all&sort=recentupdate&page=${lastPage(0.5)}`,
  `${LARGE}?labels=bug`,
  `${LARGE}?labels=bug&page=${lastPage(0.09)}`,
  `${LARGE}?labels=bug&sort=recentupdate`,
  `${LARGE}?labels=rare&state=all`,
  `${LARGE}?labels=rare&state=all&sort=recentupdate`,
  `${LARGE}?labels=bug,rare&state=all`,
  `${LARGE}?milestones=M3&state=all`,
  `${LARGE}?created_by=user-7&state=all`,
  `${LARGE}?assigned_by=user-7`,
  `${LARGE}?assigned_by=user-7&labels=bug&sort=leastupdate`,
  `${LARGE}?mentioned_by=user-7&state=all`,
  `${LARGE}?state=all&since=1970-01-08T00:00:00Z`,
  `${LARGE}?state=all&before=1970-01-03T00:00:00Z`,
  ...['word1', 'common', 'word9000', 'zephyr', '%22word1+word2%22', 'word1+word2+common'].map(
    (q) => `${LARGE}?state=all&q=${q}`,
  ),
  `${LARGE}?labels=rare&state=all&q=word1`,
  '/repos/root/small-1001/issues?state=all&q=word1',
  '/repos/issues/search?',
  '/repos/issues/search?state=all&sort=recentupdate',
  '/repos/issues/search?state=all&q=word1',
  '/repos/issues/search?state=all&q=common&sort=oldest',
  '/repos/issues/search?q=zephyr&state=all',
  '/repos/issues/search?labels=bug',
  '/repos/issues/search?created=true&state=all',
  `${LARGE}/77`,
];

const machine = describeMachine();
const databaseUrl = process.env.DATABASE_URL;
const forge = await startForge(databaseUrl === undefined ? {} : { databaseUrl });
const { database } = forge.running.engines;
try {
  const startedAt = performance.now();
  const root = await forge.running.services.accounts.findByName('root');
  if (root === undefined) throw new Error('there is no root');
  await makeTracker(database, root.id, { issues, inOne });
  await database.transaction(async (tx) => {
    await tx.executeQuery(CompiledQuery.raw(database.dialect === 'sqlite' ? 'pragma optimize' : 'analyze'));
  });
  process.stdout.write(`rows in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
  const lines: string[] = [];
  const plans: string[] = [];
  for (const path of PATHS) {
    lines.push(await measured(path));
    process.stdout.write(`${lines.at(-1)}\n`);
    plans.push(...(await plansOf(path)));
  }
  lines.push(await measuredCreate());
  process.stdout.write(`${lines.at(-1)}\n`);
  if (options.save) save(lines, plans);
} finally {
  await forge.stop();
}

async function measured(path: string): Promise<string> {
  const times: number[] = [];
  const cpu: number[] = [];
  let total = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const response = await ask(path);
    await response.text();
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
    total = response.headers.get('x-total-count') ?? '';
  }
  return row(path, total, times, cpu);
}

async function measuredCreate(): Promise<string> {
  const times: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const body = JSON.stringify({ title: `word${round} rattles`, body: 'See #7 and ask @user-7.' });
    await (await ask(LARGE, { method: 'POST', body })).text();
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
  }
  return row(`POST ${LARGE}`, '', times, cpu);
}

function row(path: string, total: string, times: readonly number[], cpu: readonly number[]): string {
  const isSlow = median(times) > AIM_MS ? ' (!)' : '';
  return `| \`${path}\` | ${total} | ${median(times).toFixed(2)}${isSlow} | ${percentile(times, 0.95).toFixed(2)} | ${median(cpu).toFixed(2)} |`;
}

/** @throws Error for a response without success */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `token ${forge.admin.token}`, 'content-type': 'application/json' };
  const limited = path.includes('?') ? `${path}&limit=${LIMIT}` : path;
  const response = await fetch(`${forge.apiRoot}${limited}`, { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Runs a request, and returns how the database finds the issues in it. */
async function plansOf(path: string): Promise<readonly string[]> {
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
    await (await ask(path)).text();
  } finally {
    reader.executeQuery = run;
    if (read !== undefined) readDirectly(reader, read);
  }
  const lists = seen.filter(
    ({ sql }) => /\bissues i\b|issue_\w+ d\b|_words/.test(sql) && !/shows_author/.test(sql),
  );
  const explain = database.dialect === 'sqlite' ? 'explain query plan' : 'explain';
  const plans = [`## \`${path}\``, ''];
  for (const { sql, parameters } of lists) {
    const { rows } = await run<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
    );
    const steps = rows.map((step) => String(step.detail ?? step['QUERY PLAN']));
    plans.push('```', sql.replaceAll(/\s+/g, ' '), ...steps.map((step) => `    ${step}`), '```', '');
  }
  return lists.length === 0 ? [] : plans;
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
    `${ROUNDS} rounds, ${LIMIT} records a page; milliseconds over HTTP, the total included. The aim is a median of ${AIM_MS} ms.`,
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
