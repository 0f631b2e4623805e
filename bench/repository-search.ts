import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Forge, startForge } from '../testing/index.ts';
import { type ForestRepository, makeForest, REPOSITORIES } from './corpus/forest.ts';
import { describeMachine, loadNow } from './report/machine.ts';

// Measures GET /repos/search over 100,000 repositories, including the exact total: without signing in, and as a member
// of an organization that has 4,000 of them, 1,000 private. Sends each request also without cached counts, as after a
// change of a searchable property. Server and client share one process, so the times include both.
//
//   npm run bench:search                     the embedded database
//   DATABASE_URL=… npm run bench:search      an empty PostgreSQL database
//
// NAME=before saves the results in bench/results/DATE-search-before.md.

const ROUNDS = 41;
const LIMIT = 50;

interface Question {
  readonly about: string;
  readonly query: string;
  readonly word: string;
}

const QUESTIONS: readonly Question[] = [
  { about: 'no q', query: '', word: '' },
  { about: 'q of two characters, in 20', query: 'q=qz', word: 'qz' },
  { about: 'q of two characters, in 50,000', query: 'q=rv', word: 'rv' },
  { about: 'q in 100', query: 'q=zephyr', word: 'zephyr' },
  { about: 'q in 50,000', query: 'q=service', word: 'service' },
  { about: 'no q, newest change first', query: 'sort=updated&order=desc', word: '' },
  { about: 'q in 50,000, newest change first', query: 'q=service&sort=updated&order=desc', word: 'service' },
];

interface Asker {
  readonly about: string;
  readonly headers: Record<string, string>;
  sees(repository: ForestRepository): boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const machine = describeMachine();
const databaseUrl = process.env.DATABASE_URL;
const forge = await startForge(databaseUrl === undefined ? {} : { databaseUrl });
try {
  const { member, organizationId } = await makeGuild(forge);
  const repositories = await makeForest(forge.running.engines.database, organizationId);
  const askers: readonly Asker[] = [
    { about: 'nobody', headers: {}, sees: ({ isPrivate }) => !isPrivate },
    {
      about: 'a member',
      headers: { authorization: `token ${member}` },
      sees: ({ isPrivate, ownerId }) => !isPrivate || ownerId === organizationId,
    },
  ];
  const lines = [];
  for (const asker of askers) {
    for (const question of QUESTIONS) {
      for (const page of [1, 50]) {
        const total = repositories.filter(
          (repository) => asker.sees(repository) && repository.name.includes(question.word),
        ).length;
        lines.push(await measured(asker, question, page, total));
        process.stdout.write(`${lines.at(-1)}\n`);
      }
    }
  }
  save(lines);
} finally {
  agent.destroy();
  await forge.stop();
}

/** An organization, and a user who may read all of it through a team. */
async function makeGuild({
  apiRoot,
  admin,
  running,
}: Forge): Promise<{ member: string; organizationId: number }> {
  const post = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `token ${admin.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${apiRoot}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as { id: number };
  };
  const { id: organizationId } = await post('POST', '/orgs', { username: 'guild' });
  const account = { username: 'member', email: 'member@example.org', password: 'correct horse' };
  await post('POST', '/admin/users', { ...account, must_change_password: false });
  const team = { name: 'readers', permission: 'read', includes_all_repositories: true };
  const { id } = await post('POST', '/orgs/guild/teams', team);
  await post('PUT', `/teams/${id}/members/member`, {});
  const { accounts, tokens } = running.services;
  const member = await accounts.findByName('member');
  if (member === undefined) throw new Error('there is no member');
  const { token } = await tokens.createFor(member, { name: 'bench', scopes: ['all'] });
  return { member: token, organizationId };
}

async function measured(asker: Asker, question: Question, page: number, total: number): Promise<string> {
  const path = `/api/v1/repos/search?limit=${LIMIT}&page=${page}&${question.query}`;
  const remembered: number[] = [];
  const anew: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await forget();
    anew.push(await timed(path, asker, { total, page }));
    remembered.push(await timed(path, asker, { total, page }));
  }
  const cells = [remembered, anew].flatMap((times) => [median(times), percentile(times, 0.95)]);
  const times = cells.map((ms) => ms.toFixed(2));
  return `| ${[asker.about, question.about, page, total, ...times].join(' | ')} |`;
}

/** Invalidates the cached counts, as a change does. */
async function forget(): Promise<void> {
  const { database } = forge.running.engines;
  if (database.dialect !== 'sqlite') return;
  await database.transaction((tx) => sql`update search_versions set version = version + 1`.execute(tx));
}

/** @throws Error if the total or the number of records is wrong */
function timed(path: string, { headers }: Asker, wanted: { total: number; page: number }): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get(`${forge.url}${path}`, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const took = performance.now() - startedAt;
        const text = Buffer.concat(chunks).toString();
        const total = response.headers['x-total-count'];
        const count = Math.max(Math.min(LIMIT, wanted.total - (wanted.page - 1) * LIMIT), 0);
        const isRight = response.statusCode === 200 && Number(total) === wanted.total;
        if (isRight && text.split('"clone_url"').length - 1 === count) resolve(took);
        else
          reject(
            new Error(`${path}: ${response.statusCode} ${total} not ${wanted.total} ${text.slice(0, 200)}`),
          );
      });
    }).on('error', reject);
  });
}

function save(lines: readonly string[]): void {
  const date = new Date().toISOString().slice(0, 10);
  const engine = forge.running.engines.database.dialect;
  const file = join(import.meta.dirname, `results/${date}-search-${process.env.NAME ?? engine}.md`);
  const text = [
    `# ${date} search over ${REPOSITORIES.toLocaleString('en')} repositories, ${engine}`,
    '',
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, Node ${machine.node}, Quire ${machine.commit ?? 'of unknown commit'}.`,
    `Load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it: with more than ${machine.cores} it was not quiet.`,
    `${ROUNDS} rounds, ${LIMIT} records a page; milliseconds over HTTP, the exact total included.`,
    '',
    '| asked by | for | page | total | median | p95 | median, nothing remembered | p95 |',
    '|---|---|--:|--:|--:|--:|--:|--:|',
    ...lines,
    '',
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
