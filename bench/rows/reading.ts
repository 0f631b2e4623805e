import { setTimeout as wait } from 'node:timers/promises';
import { HUNDRED_KB, SMALL, TEN_KB } from '../corpus/corpus.ts';
import { askGit, runGit } from '../corpus/git.ts';
import { LARGE } from '../corpus/history.ts';
import { Skipped } from '../model.ts';
import { type Get, getRow, jsonOf, requireSame } from './http.ts';
import type { Bench, Row } from './model.ts';

const UNCHANGED_FOR_MS = 8_000;
const MEASURED_WITHIN_MS = 60_000;

interface Entry {
  readonly name: string;
  readonly sha: string;
  readonly last_commit_sha: string;
  readonly content: string | null;
}

/** Reads over the API. */
export const READING: readonly Row[] = [
  getRow('version', 'GET /version, anonymous', async () => version({})),
  getRow('version-token', 'GET /version, by token', async ({ forge }) => version(forge.byToken)),
  getRow('repository-anonymous', 'repository GET, anonymous', async (bench) => repository(bench, {})),
  getRow('repository-token', 'repository GET, by token', async (bench) =>
    repository(bench, bench.forge.byToken),
  ),
  getRow('repository-password', 'repository GET, by password', async (bench) => {
    const { byPassword } = bench.forge;
    if (byPassword === null) throw new Skipped('the password is not known (--password)');
    return repository(bench, byPassword);
  }),
  getRow('contents-10kb', 'contents GET of a 10 KB file in the large repository', contentsOfFile),
  getRow('list-20', 'listing of 20 entries in the large repository', (bench) =>
    listing(bench, LARGE.twenty, 20),
  ),
  getRow('list-100', 'listing of 100 entries in the large repository', (bench) =>
    listing(bench, LARGE.hundred, 100),
  ),
  getRow('raw-10kb', 'raw GET of 10 KB', async ({ forge, corpus }) => ({
    path: `${forge.repositoryPath(await corpus.small())}/raw/${SMALL.tenKb}`,
    headers: forge.byToken,
    check: ({ body }) => requireSame('the file', body.toString(), TEN_KB),
  })),
  getRow('contents-100kb', 'contents GET of 100 KB', async ({ forge, corpus }) => ({
    path: `${forge.repositoryPath(await corpus.small())}/contents/${SMALL.hundredKb}`,
    headers: forge.byToken,
    check: (answer) => {
      const text = Buffer.from(jsonOf<Entry>(answer).content ?? '', 'base64').toString();
      requireSame('content', text, HUNDRED_KB);
    },
  })),
  getRow('raw-100kb', 'raw GET of 100 KB', async ({ forge, corpus }) => ({
    path: `${forge.repositoryPath(await corpus.small())}/raw/${SMALL.hundredKb}`,
    headers: forge.byToken,
    check: ({ body }) => requireSame('the file', body.toString(), HUNDRED_KB),
  })),
  getRow('raw-10mb', 'raw GET of 10 MB', async ({ forge, corpus }) => ({
    path: `${forge.repositoryPath(await corpus.small())}/raw/${SMALL.tenMb}`,
    headers: forge.byToken,
    check: ({ body }) => requireSame('length of the file', body.length, 10 * 1024 * 1024),
  })),
].flat();

function version(headers: Readonly<Record<string, string>>): Get {
  return {
    path: '/api/v1/version',
    headers,
    check: (answer) => requireSame('version', typeof jsonOf<{ version: string }>(answer).version, 'string'),
  };
}

async function repository({ forge, corpus }: Bench, headers: Readonly<Record<string, string>>): Promise<Get> {
  const name = await corpus.small();
  const path = forge.repositoryPath(name);
  await untilMeasured(forge, path);
  return {
    path,
    headers,
    check: (answer) => requireSame('its name', jsonOf<{ name: string }>(answer).name, name),
  };
}

/** Waits until jobs have measured size and languages after the push, because these change the record. */
async function untilMeasured(forge: Bench['forge'], path: string): Promise<void> {
  let [last, since] = ['', Date.now()];
  const deadline = Date.now() + MEASURED_WITHIN_MS;
  while (Date.now() - since < UNCHANGED_FOR_MS) {
    if (Date.now() > deadline) throw new Error(`GET ${path} changes all the time`);
    const { body } = await forge.ask('GET', path, { headers: forge.byToken });
    if (body.toString() !== last) [last, since] = [body.toString(), Date.now()];
    await wait(200);
  }
}

async function contentsOfFile({ forge, corpus }: Bench): Promise<Get> {
  const history = await corpus.largeHistory();
  const content = await runGit(['-C', history, 'cat-file', 'blob', `main:${LARGE.file}`]);
  const last = await lastCommit(history, LARGE.file);
  return {
    path: `${forge.repositoryPath(await corpus.large())}/contents/${LARGE.file}`,
    headers: forge.byToken,
    check: (answer) => {
      const entry = jsonOf<Entry>(answer);
      requireSame('content', Buffer.from(entry.content ?? '', 'base64').toString(), content.toString());
      requireSame('last commit', entry.last_commit_sha, last);
    },
  };
}

async function listing({ forge, corpus }: Bench, folder: string, count: number): Promise<Get> {
  const history = await corpus.largeHistory();
  const listed = await askGit(['-C', history, 'ls-tree', '--name-only', `main:${folder}`]);
  const names = listed.split('\n');
  requireSame('number of entries in the corpus', names.length, count);
  // Checking all of them with git takes longer than all rounds, so this checks a sample.
  const some = names.filter((_, index) => index % 10 === 0);
  const last = new Map(
    await Promise.all(
      some.map(async (name) => {
        const path = folder === '' ? name : `${folder}/${name}`;
        return [name, await lastCommit(history, path)] as const;
      }),
    ),
  );
  return {
    path: `${forge.repositoryPath(await corpus.large())}/contents/${folder}`.replace(/\/$/, ''),
    headers: forge.byToken,
    check: (answer) => {
      const entries = jsonOf<Entry[]>(answer);
      requireSame('number of entries', entries.length, count);
      for (const entry of entries) {
        const wanted = last.get(entry.name) ?? entry.last_commit_sha;
        requireSame(`last commit of ${entry.name}`, entry.last_commit_sha, wanted);
      }
    },
  };
}

function lastCommit(history: string, path: string): Promise<string> {
  return askGit(['-C', history, 'log', '-1', '--format=%H', 'main', '--', path]);
}
