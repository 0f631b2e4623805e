import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Forge } from './corpus/forge.ts';
import { askGit, runGit } from './corpus/git.ts';
import { LONG, longHistoryStream } from './corpus/long-history.ts';
import { numbersFrom } from './corpus/texts.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';
import { median, quantile } from './statistics.ts';

// Measures listings and lists of commits in a long history: right after its push, at random old commits, and after one more
// commit. Prints a table as Markdown. A separate program, because the push alone takes a minute.
//
//   node bench/histories.ts              200,000 commits
//   node bench/histories.ts 20000        another number
//   node bench/histories.ts 200000 /tmp/history.git      keeps the generated history there and uses it again

const COMMITS = Number(process.argv[2] ?? 200_000);
const KEPT = process.argv[3];
const SAMPLES = 200;
const GIVE_UP_MS = 120_000;
const NAME = 'history';

/** Files and folders whose last ten commits are listed: changed often, rarely, and in nearly every commit. */
const CHANGED = ['page-0.md', 'page-19.md', `${LONG.deep}/file-0.txt`, 'part-7/step-3/file-0.txt', LONG.wide];

const folder = await mkdtemp(join(tmpdir(), 'quire-histories-'));
const server = await ServerProcess.start(quireCommand(folder, []));
try {
  const forge = await signIn(server.url);
  const history = KEPT ?? join(folder, 'history.git');
  await generate(history);
  const { body } = await forge.ask('POST', '/api/v1/user/repos', { json: { name: NAME } });
  print(
    `${COMMITS} commits; ${JSON.stringify(describeMachine())}; repository ${JSON.parse(`${body}`).full_name}`,
  );
  print(`| what | ms, or MB |\n| --- | --- |`);

  const pushedAt = performance.now();
  await runGit(['--git-dir', history, 'push', '--quiet', forge.remoteOf(NAME), 'main']);
  row('push', performance.now() - pushedAt);
  for (const path of Object.values(LONG))
    row(`right after the push: /${path}`, await list(forge, path, 'main'));
  memory('after the push');
  await measureCommits(forge, 'right after the push');

  const all = (await askGit(['--git-dir', history, 'rev-list', 'main'])).split('\n');
  const random = numbersFrom(3);
  for (const path of Object.values(LONG)) {
    const times: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      times.push(await list(forge, path, all[Math.floor(random.next().value * all.length)] ?? 'main'));
      if (times.reduce((sum, time) => sum + time, 0) > GIVE_UP_MS) break;
    }
    row(`${times.length} random old commits: /${path}: median`, median(times));
    row(`${times.length} random old commits: /${path}: p99`, quantile(times, 0.99));
  }
  await forge.ask('POST', `${forge.repositoryPath(NAME)}/contents/${LONG.wide}/new`, {
    json: { content: '' },
  });
  for (const path of Object.values(LONG))
    row(`after one more commit: /${path}`, await list(forge, path, 'main'));
  await measureCommits(forge, 'after one more commit');
  memory('at the end');
  print(`load average at the end: ${loadNow()}`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function signIn(url: string): Promise<Forge> {
  const { login, password } = ADMINISTRATOR;
  const response = await fetch(`${url}/api/v1/users/${login}/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'bench', scopes: ['all'] }),
  });
  const { sha1 } = (await response.json()) as { sha1: string };
  return new Forge(url, { login, token: sha1, password });
}

/** Generates the history unless an earlier run has kept it. */
async function generate(path: string): Promise<void> {
  await runGit(['init', '--quiet', '--bare', path]);
  const count = await runGit(['--git-dir', path, 'rev-list', '--count', 'refs/heads/main']).catch(() => '');
  if (`${count}`.trim() === `${COMMITS}`) return;
  await runGit(['--git-dir', path, 'fast-import', '--quiet'], longHistoryStream(COMMITS));
}

/** @returns ms */
async function list(forge: Forge, path: string, ref: string): Promise<number> {
  const startedAt = performance.now();
  const { status, body } = await forge.ask(
    'GET',
    `${forge.repositoryPath(NAME)}/contents/${path}?ref=${ref}`,
  );
  const tookMs = performance.now() - startedAt;
  if (status !== 200) print(`| /${path} at ${ref}: ${status} ${body} | ${tookMs.toFixed(0)} |`);
  return tookMs;
}

/** The first request also counts the commits, once for each tip. */
async function measureCommits(forge: Forge, when: string): Promise<void> {
  for (const path of ['', ...CHANGED]) {
    for (const changes of ['&stat=false&files=false', '']) {
      const query = `limit=10&path=${path}${changes}`;
      const about = `${when}: ten commits of /${path}${changes === '' ? ', with their changes' : ''}`;
      const times: number[] = [];
      for (let sample = 0; sample <= SAMPLES; sample += 1) times.push(await listCommits(forge, query));
      const [first = 0, ...later] = times;
      row(`${about}: first`, first);
      row(`${about}: then, median of ${later.length}`, median(later));
    }
  }
}

/** @returns ms */
async function listCommits(forge: Forge, query: string): Promise<number> {
  const startedAt = performance.now();
  const { status, body } = await forge.ask('GET', `${forge.repositoryPath(NAME)}/commits?${query}`);
  const tookMs = performance.now() - startedAt;
  if (status !== 200) print(`| ${query}: ${status} ${body} | ${tookMs.toFixed(0)} |`);
  return tookMs;
}

function memory(when: string): void {
  const used = server.memoryMb();
  if (used === null) return;
  row(`memory of the server ${when}`, used.now);
  row(`memory of the server ${when}: peak`, used.peak);
}

function row(what: string, value: number): void {
  print(`| ${what} | ${value.toFixed(1)} |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
