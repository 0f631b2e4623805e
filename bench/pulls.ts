import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import { fragment } from '../src/base/database/fragment.ts';
import { queryCount } from '../src/base/database/query.ts';
import { PullChecks } from '../src/tracker/pulls/checks/service.ts';
import { startPostgres } from '../test/support/database/postgres.ts';
import { startForge } from '../testing/index.ts';
import { askGit, runGit } from './corpus/git.ts';
import { GitShell } from './corpus/git-shell.ts';
import {
  type BranchCounts,
  branchOf,
  insertPulls,
  type RowPull,
  WIDE_FILES,
  wideTreeStream,
} from './corpus/pulls.ts';
import { LoadGenerator } from './load/generator.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { cpuMsOfEndedChildren, cpuMsOfSelf } from './servers/process-usage.ts';
import { median, quantile } from './statistics.ts';

// Measures pull requests, in a tree of 50,000 files and among 100,000 others, beside git in a folder with the same commits.
// Server and client share one process, so the times include both. CPU is that of both and of their git processes.
//
//   node bench/pulls.ts                     the embedded database
//   node bench/pulls.ts --postgres          a PostgreSQL server that it starts, or the database DATABASE_URL
//   --save                                  keeps the results in bench/results/DATE-pulls-ENGINE.md
//   --quick                                 few samples and rows: does it run?

const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const SAMPLES = options.quick ? 3 : 30;
const LISTED = options.quick ? 1_000 : 100_000;
const PAGE = 50;
const MEMBERS = 4;
const MEMBERS_WORK_MS = options.quick ? 1_000 : 20_000;
const CHECKS_AWAITED_MS = 300_000;
const WAITING = options.quick ? 10 : 500;
const COUNTS: BranchCounts = {
  created: SAMPLES,
  checked: SAMPLES,
  merged: SAMPLES,
  waiting: WAITING,
  large: SAMPLES,
};
/** of the issue, ms */
const AIMS = { check: 15, merge: 10, files: 60 } as const;

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

const machine = describeMachine();
const urlOfOther = process.env.DATABASE_URL;
const postgres = options.postgres && urlOfOther === undefined ? await startPostgres({}) : undefined;
const databaseUrl = options.postgres ? (urlOfOther ?? postgres?.url) : undefined;
const folder = await mkdtemp(join(tmpdir(), 'quire-pulls-'));
const bare = join(folder, 'tree.git');
const shell = new GitShell();
const load = new LoadGenerator();
const forge = await startForge(databaseUrl === undefined ? {} : { databaseUrl });
const { database, git } = forge.running.engines;
const { jobs, accounts } = forge.running.services;
const lines: string[] = [];
try {
  const accountId = (await accounts.findByName('root'))?.id ?? 0;
  const [tree, many] = [await createRepository('tree'), await createRepository('many')];
  await pushTree();
  await measureCreation();
  await measureFiles();
  await measureChecks(tree, accountId);
  await measureMerges();
  await measureBasePush(tree, accountId);
  await measureLists(many, accountId);
  if (options.save) save();
} finally {
  load.stop();
  shell.stop();
  await forge.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function createRepository(name: string): Promise<number> {
  const { body } = await ask('POST', '/user/repos', { name, auto_init: name === 'many' });
  return (body as { id: number }).id;
}

async function pushTree(): Promise<void> {
  await runGit(['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  await runGit(['--git-dir', bare, 'fast-import', '--quiet'], wideTreeStream(COUNTS));
  const url = new URL(`${forge.url}/${forge.admin.name}/tree.git`);
  [url.username, url.password] = [forge.admin.name, forge.admin.token];
  await runGit(['--git-dir', bare, 'push', '--quiet', url.href, 'refs/heads/*:refs/heads/*']);
  await jobs.runDue();
}

/** Opens pull requests. The check of each runs afterwards, before the next one. */
async function measureCreation(): Promise<void> {
  const samples: Sample[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    samples.push(await timed(() => openPull(branchOf('created', index))));
    await jobs.runDue();
  }
  row('create: `POST pulls`', samples);
}

/** Reads pages of the files that branches change: of a new comparison, and again. */
async function measureFiles(): Promise<void> {
  const numbers: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    numbers.push(await openPull(branchOf('large', index)));
    await jobs.runDue();
  }
  const of = (path: string) => numbers.map((number) => `/repos/root/tree/pulls/${number}${path}`);
  // The check has compared the files without these blanks.
  const blanks = of(`/files?limit=${PAGE}&whitespace=ignore-eol`);
  row(`files: page of ${PAGE} of 300, compared for it`, await each(blanks, read), AIMS.files);
  const pages = of(`/files?limit=${PAGE}&page=2`);
  row(`files: page of ${PAGE} of 300, after the check`, await each(pages, read), AIMS.files);
  row('files: the same again', await each(pages, read), AIMS.files);
  const shas = (index: number) => [`main~1`, branchOf('large', index)];
  gitRow(
    '`git diff --raw --numstat -M` of the same',
    await byGit(shas, ['diff', '--raw', '--numstat', '-M']),
  );
  row('commits: first page', await each(of('/commits'), read));
  row('`.diff` of 300 files', await each(of('.diff'), read));
  gitRow('`git diff -M` of the same', await byGit(shas, ['diff', '-M']));
}

/** Checks pull requests that no check has seen yet, as the job of the server does. */
async function measureChecks(repositoryId: number, accountId: number): Promise<void> {
  const rows = await rowsOf('checked', 100_000);
  const ids = await insertPulls(database, { repositoryId, accountId }, rows);
  const checks = new PullChecks({ database, git });
  const samples = await each(ids, (id) => checks.check(id));
  row(`mergeability of 3 files among ${WIDE_FILES.toLocaleString('en')}`, samples, AIMS.check);
  const shas = (index: number) => ['main', branchOf('checked', index)];
  gitRow('`git merge-tree --write-tree` of the same', await byGit(shas, ['merge-tree', '--write-tree']));
  await closeAll(repositoryId);
}

/** Merges pull requests, one after the other. The checks of the others run before the next one. */
async function measureMerges(): Promise<void> {
  const numbers: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) numbers.push(await openPull(branchOf('merged', index)));
  await jobs.runDue();
  const samples: Sample[] = [];
  for (const number of numbers) {
    const path = `/repos/root/tree/pulls/${number}/merge`;
    samples.push(await timed(() => ask('POST', path, { Do: 'merge' })));
    await jobs.runDue();
  }
  row('merge: `POST pulls/N/merge`, until it is durable', samples, AIMS.merge);
  const command = (index: number) =>
    `tree=$(git --git-dir ${bare} merge-tree --write-tree main ${branchOf('merged', index)}) && ` +
    `commit=$(git --git-dir ${bare} commit-tree -p main -p ${branchOf('merged', index)} -m Merge $tree) && ` +
    `git --git-dir ${bare} -c core.fsync=all update-ref refs/heads/main $commit`;
  const byHand: Sample[] = [];
  for (let index = 0; index < SAMPLES; index += 1)
    byHand.push(await timedInShell(() => shell.run(command(index))));
  gitRow('`git merge-tree`, `commit-tree` and `update-ref` of the same', byHand);
}

/** Moves the base of many open pull requests while members read small things. All were checked before, as usual. */
async function measureBasePush(repositoryId: number, accountId: number): Promise<void> {
  await closeAll(repositoryId);
  await insertPulls(database, { repositoryId, accountId }, await rowsOf('waiting', 200_000));
  await pushToBase('first.txt');
  await untilChecked(repositoryId);
  await jobs.runDue();
  const quiet = await members();
  const before = cpuMs();
  const startedAt = performance.now();
  await pushToBase('second.txt');
  let [checkedMs, checksCpuMs] = [Number.NaN, Number.NaN];
  const checked = untilChecked(repositoryId).then(() => {
    checkedMs = performance.now() - startedAt;
    checksCpuMs = cpuMs() - before;
  });
  const busy = await members();
  await checked;
  const cells = ([p50, p99]: readonly number[]) => `${fixed(p50)} | ${fixed(p99)}`;
  lines.push(
    '',
    `| ${MEMBERS} members who read small things, ms | median | p99 |`,
    '|---|--:|--:|',
    `| nothing else | ${cells(quiet)} |`,
    `| after a push to the base of ${WAITING} open pull requests | ${cells(busy)} |`,
    '',
    `The last check ended ${(checkedMs / 1000).toFixed(1)} s after the push. Server and members took ` +
      `${(checksCpuMs / 1000).toFixed(1)} s of CPU until then.`,
  );
  process.stdout.write(`${lines.slice(-6).join('\n')}\n`);
}

async function pushToBase(name: string): Promise<void> {
  const content = Buffer.from(name).toString('base64');
  await ask('POST', `/repos/root/tree/contents/${name}`, { branch: 'main', content });
}

/** Pages of a list of pull requests. Seven of ten are closed. */
async function measureLists(repositoryId: number, accountId: number): Promise<void> {
  const { body } = await ask('GET', '/repos/root/many/branches/main');
  const { id: headSha } = (body as { commit: { id: string } }).commit;
  const rows = Array.from({ length: LISTED }, (_, index) => ({
    number: index + 1,
    headBranch: `topic-${index}`,
    headSha,
    isClosed: index % 10 < 7,
  }));
  await insertPulls(database, { repositoryId, accountId }, rows);
  // PostgreSQL does so by itself after some time. The server gathers no statistics on the embedded database.
  if (database.dialect === 'postgres')
    await database.reader.executeQuery(CompiledQuery.raw('vacuum analyze'));
  lines.push('', '| request | median ms | p95 | CPU, mean | aim |', '|---|--:|--:|--:|--:|');
  for (const query of ['', 'state=all', 'state=closed&page=100', 'base=main&sort=oldest', 'head=topic-8']) {
    const path = `/repos/root/many/pulls?${query}&limit=${PAGE}`;
    const samples = await each(Array(SAMPLES).fill(path), read);
    row(`list of ${PAGE} among ${LISTED.toLocaleString('en')}: \`?${query}\``, samples);
  }
}

async function rowsOf(use: keyof BranchCounts, first: number): Promise<readonly RowPull[]> {
  const refs = (await askGit(['--git-dir', bare, 'show-ref', '--heads'])).split('\n');
  const shas = new Map(refs.map((line) => line.split(' refs/heads/').toReversed() as [string, string]));
  return Array.from({ length: COUNTS[use] }, (_, index) => {
    const headBranch = branchOf(use, index);
    return { number: first + index, headBranch, headSha: shas.get(headBranch) ?? '', isClosed: false };
  });
}

async function openPull(branch: string): Promise<number> {
  const { body } = await ask('POST', '/repos/root/tree/pulls', { title: branch, base: 'main', head: branch });
  return (body as { number: number }).number;
}

/** Closes all pull requests of a repository, so that no push checks them. */
async function closeAll(repositoryId: number): Promise<void> {
  await database.transaction((tx) =>
    tx
      .updateTable('issues')
      .set({ is_closed: 1, closed_at: Date.now() })
      .where('repository_id', '=', repositoryId)
      .execute(),
  );
}

/** Waits until all open pull requests were checked with the base as it is. */
async function untilChecked(repositoryId: number): Promise<void> {
  const deadline = Date.now() + CHECKS_AWAITED_MS;
  const tip = (await git.refs.open(repositoryId)).ref('refs/heads/main') ?? '';
  const left = () =>
    queryCount(
      database.reader,
      fragment`pulls p where p.repository_id = ${repositoryId} and p.is_open = 1
        and coalesce(p.checked_base, '') <> ${tip}`,
    );
  while ((await left()) > 0) {
    if (Date.now() > deadline) throw new Error('the checks take too long');
    await sleep(50);
  }
}

/** Reads small things as several members from a separate process. @returns the median and the p99, ms */
async function members(): Promise<readonly number[]> {
  const { hostname, port } = new URL(forge.url);
  const headers = { authorization: `token ${forge.admin.token}` };
  const requests = ['/api/v1/repos/root/many', '/api/v1/repos/root/many/contents/README.md', '/api/v1/user'];
  const lane = requests.map((path) => ({ method: 'GET', path, headers, body: '' }));
  const { latenciesMs } = await load.run({
    host: hostname,
    port: Number(port),
    lanes: Array(MEMBERS).fill(lane),
    repeatForMs: MEMBERS_WORK_MS,
    expected: { status: 200, sha256: null, bytes: { min: 1, max: 100_000 } },
  });
  return [median(latenciesMs), quantile(latenciesMs, 0.99)];
}

async function byGit(
  revisions: (index: number) => readonly string[],
  command: readonly string[],
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let index = 0; index < SAMPLES; index += 1)
    samples.push(await timedInShell(() => shell.git(['--git-dir', bare, ...command, ...revisions(index)])));
  return samples;
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const item of items) samples.push(await timed(() => work(item)));
  return samples;
}

function timed(work: () => Promise<unknown>): Promise<Sample> {
  return timedBy(cpuMs, work);
}

/** CPU time of a process that runs for a shorter time than the clock of the system counts is 0 or 10 ms. */
function timedInShell(work: () => Promise<unknown>): Promise<Sample> {
  return timedBy(() => shell.cpuMs(), work);
}

async function timedBy(cpu: () => number, work: () => Promise<unknown>): Promise<Sample> {
  const before = cpu();
  const startedAt = performance.now();
  await work();
  return { ms: performance.now() - startedAt, cpuMs: cpu() - before };
}

function cpuMs(): number {
  return cpuMsOfSelf() + cpuMsOfEndedChildren();
}

function read(path: string) {
  return ask('GET', path);
}

/** @throws Error for a response without success */
async function ask(method: string, path: string, json?: object): Promise<{ readonly body: unknown }> {
  const response = await fetch(`${forge.apiRoot}${path}`, {
    method,
    headers: { authorization: `token ${forge.admin.token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { body: isJson ? JSON.parse(text) : text };
}

function row(name: string, samples: readonly Sample[], aim?: number): void {
  const times = samples.map(({ ms }) => ms);
  const cpu = samples.map((sample) => sample.cpuMs);
  // Processes count their CPU in steps of 10 ms, so only the mean of many says something.
  const mean = cpu.reduce((total, ms) => total + ms, 0) / cpu.length;
  const cells = [median(times), quantile(times, 0.95), mean].map(fixed);
  lines.push(`| ${name} | ${cells.join(' | ')} | ${aim ?? ''} |`);
  process.stdout.write(`${lines.at(-1)}\n`);
}

function gitRow(name: string, samples: readonly Sample[]): void {
  row(`— ${name}`, samples);
}

function fixed(ms: number | undefined): string {
  return (ms ?? Number.NaN).toFixed(1);
}

function save(): void {
  const date = new Date().toISOString().slice(0, 10);
  const file = join(import.meta.dirname, `results/${date}-pulls-${database.dialect}.md`);
  const text = [
    `# ${date} pull requests, ${database.dialect}`,
    '',
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, Node ${machine.node}, ${machine.git}, Quire ${machine.commit ?? 'of unknown commit'}.`,
    `Load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it: with more than ${machine.cores} it was not quiet.`,
    `${SAMPLES} samples; milliseconds over HTTP. CPU is the mean of client and server with their git processes, without PostgreSQL.`,
    'Rows with a dash are git in a folder with the same commits.',
    '',
    '| what | median ms | p95 | CPU, mean | aim |',
    '|---|--:|--:|--:|--:|',
    ...lines,
    '',
  ];
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
  writeFileSync(file, text.join('\n'));
  process.stdout.write(`kept as ${file}\n`);
}
