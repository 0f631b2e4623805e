import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fragment, raw } from '../src/base/database/fragment.ts';
import { query } from '../src/base/database/query.ts';
import { startPostgres } from '../test/support/database/postgres.ts';
import { type Forge, startForge } from '../testing/index.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { median } from './statistics.ts';

// Measures pages of activity feeds, heatmaps and feeds for feed readers over 1,000,000 activities of 100 users in 1,000
// repositories of an organization, of which 500 are private. Server and client share one process, so the times include
// both.
//
//   node bench/activities.ts                the embedded database
//   node bench/activities.ts --postgres     a PostgreSQL server that it starts, or the database DATABASE_URL
//   --save                                  keeps the results in bench/results/DATE-activities-ENGINE.md
//   --quick                                 few rows: does it run?

const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const ACTIVITIES = options.quick ? 10_000 : 1_000_000;
const REPOSITORIES = options.quick ? 20 : 1_000;
const USERS = options.quick ? 5 : 100;
const WATCHED = options.quick ? 5 : 100;
const ROUNDS = 31;
const YEAR_MS = 365 * 24 * 60 * 60_000;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const machine = describeMachine();
const urlOfOther = process.env.DATABASE_URL;
const postgres = options.postgres && urlOfOther === undefined ? await startPostgres({}) : undefined;
const databaseUrl = options.postgres ? (urlOfOther ?? postgres?.url) : undefined;
const forge = await startForge(databaseUrl === undefined ? {} : { databaseUrl });
try {
  const { dialect } = forge.running.engines.database;
  const text = [
    '# Activity feeds',
    '',
    `${ACTIVITIES.toLocaleString('en')} activities, pages of 30; ${dialect}; ${machine.cores} cores (${machine.processor}), Node ${machine.node}; load of the machine ${machine.loadBefore} before the run, LOAD_AFTER after it`,
    '',
    '| request | median ms | highest ms | records |',
    '|---|---|---|---|',
    ...(await measureAll(forge)),
    '',
  ]
    .join('\n')
    .replace('LOAD_AFTER', String(loadNow()));
  process.stdout.write(text);
  if (options.save) {
    const folder = join(import.meta.dirname, 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-activities-${dialect}.md`), text);
  }
} finally {
  await forge.stop();
  await postgres?.stop();
}

async function measureAll({ url, admin }: Forge): Promise<readonly string[]> {
  await fill(forge);
  const root = { authorization: `token ${admin.token}` };
  const api = `${url}/api/v1`;
  const day = new Date(Date.now() - YEAR_MS / 2).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const requests: readonly (readonly [string, string, Record<string, string>])[] = [
    ['a repository', `${api}/repos/guild/r0/activities/feeds`, {}],
    ['a repository, its last page', `${api}/repos/guild/r0/activities/feeds?page=33`, {}],
    ['a repository, half a year ago', `${api}/repos/guild/r0/activities/feeds?date=${day}`, {}],
    ['an organization', `${api}/orgs/guild/activities/feeds`, root],
    ['an organization, a visitor who sees half of it', `${api}/orgs/guild/activities/feeds`, {}],
    ['what a user did', `${api}/users/u0/activities/feeds?only-performed-by=true`, {}],
    [`a user who watches ${WATCHED} repositories`, `${api}/users/root/activities/feeds`, root],
    ['heatmap of a user', `${api}/users/u0/heatmap`, {}],
    ['RSS of a repository', `${url}/guild/r0.rss`, {}],
    ['RSS of a user', `${url}/u0.rss`, {}],
  ];
  const lines: string[] = [];
  for (const [name, address, headers] of requests) lines.push(await measure(name, address, headers));
  // All repositories but one are hidden from a visitor.
  await forge.running.engines.database.transaction((tx) =>
    query(tx, raw("update repositories set is_private = 1 where name <> 'r0'")),
  );
  lines.push(
    await measure(
      'an organization, a visitor who sees a thousandth of it',
      `${api}/orgs/guild/activities/feeds`,
      {},
    ),
  );
  return lines;
}

async function fill({ url, admin, running }: Forge): Promise<void> {
  const { database } = running.engines;
  const headers = { authorization: `token ${admin.token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path}: ${response.status}`);
    return ((await response.json()) as { id: number }).id;
  };
  const owner = await post('/orgs', { username: 'guild' });
  const users: number[] = [];
  for (let n = 0; n < USERS; n += 1)
    users.push(
      await post('/admin/users', {
        username: `u${n}`,
        email: `u${n}@example.org`,
        password: `password of ${n} users`,
      }),
    );
  const ids: number[] = [];
  for (let n = 0; n < REPOSITORIES; n += 1)
    ids.push(await post('/orgs/guild/repos', { name: `r${n}`, private: n % 2 === 1 }));
  await running.services.activityRecorder.catchUp();
  const content = JSON.stringify({ Commits: [], HeadCommit: null, CompareURL: '', Len: 0 });
  const [first = 0, firstUser = 0] = [ids[0], users[0]];
  const number = (value: number) => raw(String(value));
  await database.transaction(async (tx) => {
    await query(tx, fragment`delete from watches where repository_id >= ${first + WATCHED}`);
    await query(tx, raw('delete from activities'));
    await query(
      tx,
      fragment`insert into activities (op_type, unit, actor_id, repository_id, owner_id, ref_name, content, created_at)
        with recursive n (i) as (select 0 union all select i + 1 from n where i < ${number(ACTIVITIES - 1)})
        select 'commit_repo', 1, ${number(firstUser)} + i / 7 % ${number(USERS)},
          ${number(first)} + i % ${number(REPOSITORIES)}, ${number(owner)}, 'refs/heads/main',
          cast(${content} as text),
          ${number(Date.now() - YEAR_MS)} + cast(i as bigint) * ${number(Math.floor(YEAR_MS / ACTIVITIES))} from n`,
    );
  });
  if (database.dialect === 'postgres') await query(database.reader, raw('analyze'));
}

async function measure(name: string, address: string, headers: Record<string, string>): Promise<string> {
  const times: number[] = [];
  let records = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    records = await recordsAt(address, headers);
    times.push(performance.now() - began);
  }
  return `| ${name} | ${median(times).toFixed(1)} | ${Math.max(...times).toFixed(1)} | ${records} |`;
}

async function recordsAt(address: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(address, { agent, headers }, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('end', () =>
      response.statusCode === 200
        ? resolve(Buffer.concat(parts).toString())
        : reject(new Error(`${address}: ${response.statusCode}`)),
    );
  }).on('error', reject);
  const text = await promise;
  return address.endsWith('.rss') ? text.split('<item>').length - 1 : JSON.parse(text).length;
}
