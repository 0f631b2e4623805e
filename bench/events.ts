import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { fragment, raw } from '../src/base/database/fragment.ts';
import { query } from '../src/base/database/query.ts';
import { type Forge, startForge } from '../testing/index.ts';
import { describeMachine, loadNow } from './report/machine.ts';

// Measures pages of the event feed over 1,000,000 events in 1,000 repositories, of which 500 are private (aim: a median of
// 5 ms). Server and client share one process, so the times include both.
//
//   node bench/events.ts                     the embedded database
//   DATABASE_URL=… node bench/events.ts      an empty PostgreSQL database
//
// NAME=sqlite saves the results in bench/results/DATE-events-sqlite.md.

const EVENTS = 1_000_000;
const REPOSITORIES = 1_000;
const ROUNDS = 101;
const AIM_MS = 5;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const machine = describeMachine();
const databaseUrl = process.env.DATABASE_URL;
const forge = await startForge(databaseUrl === undefined ? {} : { databaseUrl });
try {
  const lines = await measureAll(forge);
  const text = [
    '# Event feed',
    '',
    `${EVENTS.toLocaleString('en')} events, pages of 50; ${forge.running.engines.database.dialect}; ${machine.cores} cores (${machine.processor}), Node ${machine.node}; load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it`,
    '',
    `| page | median ms | highest ms | events | aim ${AIM_MS} ms |`,
    '|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
  process.stdout.write(text);
  const { NAME } = process.env;
  if (NAME !== undefined) {
    const folder = join(import.meta.dirname, 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-events-${NAME}.md`), text);
  }
} finally {
  await forge.stop();
}

async function measureAll({ url, admin, running }: Forge): Promise<readonly string[]> {
  const { database } = running.engines;
  const as = { authorization: `token ${admin.token}` };
  const middle = await fill(forge);
  const root = await pageAt(`${url}/api/v1/events?limit=1`, as);
  const half = `cursor=${running.services.eventCursors.ofEvent(middle)}`;
  const late = `cursor=${running.services.eventCursors.ofEvent(middle * 2 - 30)}`;
  const pages: readonly (readonly [string, string, Record<string, string>])[] = [
    ['everything, at the beginning', '/api/v1/events?limit=50', as],
    ['everything, in the middle', `/api/v1/events?limit=50&${half}`, as],
    ['everything, the last 30', `/api/v1/events?limit=50&${late}`, as],
    ['everything, after the last', '/api/v1/events?limit=50&cursor=latest', as],
    ['a visitor who sees half of it, in the middle', `/api/v1/events?limit=50&${half}`, {}],
    ['a repository, in the middle', `/api/v1/repos/root/r0/events?limit=50&${half}`, as],
    ['an owner, in the middle', `/api/v1/users/root/events?limit=50&${half}`, as],
  ];
  const lines: string[] = [];
  for (const [name, path, headers] of pages) lines.push(await measure(name, `${url}${path}`, headers));
  // All repositories but one are hidden from a visitor.
  await database.transaction((tx) =>
    query(tx, raw("update repositories set is_private = 1 where name <> 'r0'")),
  );
  lines.push(
    await measure('a visitor who sees a thousandth of it', `${url}/api/v1/events?limit=50&${half}`, {}),
  );
  if (root.length === 0) throw new Error('there are no events');
  return lines;
}

/** @returns position in the middle */
async function fill({ url, admin, running }: Forge): Promise<number> {
  const { database } = running.engines;
  const headers = { authorization: `token ${admin.token}`, 'content-type': 'application/json' };
  for (let n = 0; n < REPOSITORIES; n += 1) {
    const body = JSON.stringify({ name: `r${n}`, private: n % 2 === 1 });
    const { status } = await fetch(`${url}/api/v1/user/repos`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`a repository cannot be created: ${status}`);
  }
  const payload = JSON.stringify({
    updates: [{ ref: 'refs/heads/main', old: 'a'.repeat(40), new: 'b'.repeat(40) }],
    via: 'push',
  });
  await database.transaction(async (tx) => {
    const [first] = await query<{ id: number; owner_id: number }>(
      tx,
      raw('select min(id) as id, min(owner_id) as owner_id from repositories'),
    );
    if (first === undefined) throw new Error('there is no repository');
    const { id, owner_id: ownerId } = first;
    await query(
      tx,
      fragment`insert into events (kind, actor_id, repository_id, payload, created_at, actor_kind, actor_name, owner_id,
          owner_name, repository_name)
        with recursive n (i) as (select 0 union all select i + 1 from n where i < ${raw(String(EVENTS - 1))})
        select 'refs.changed', cast(${ownerId} as bigint), cast(${id} as bigint) + i % ${raw(String(REPOSITORIES))},
          cast(${payload} as text), 0, 'user', 'root', cast(${ownerId} as bigint), 'root', 'r' from n`,
    );
  });
  // The features that follow the log would read all of it during the measurement, and a server knows its tables.
  await database.transaction((tx) =>
    query(tx, raw('update event_readers set position = (select max(position) from events)')),
  );
  if (database.dialect === 'postgres') await query(database.reader, raw('analyze'));
  const [middle] = await query<{ position: number }>(
    database.reader,
    raw('select cast(max(position) / 2 as bigint) as position from events'),
  );
  return middle?.position ?? 0;
}

async function measure(name: string, address: string, headers: Record<string, string>): Promise<string> {
  const times: number[] = [];
  let events = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    events = (await pageAt(address, headers)).length;
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const verdict = median <= AIM_MS ? 'reached' : 'missed';
  return `| ${name} | ${median.toFixed(1)} | ${(times.at(-1) ?? 0).toFixed(1)} | ${events} | ${verdict} |`;
}

async function pageAt(address: string, headers: Record<string, string>): Promise<readonly unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(address, { agent, headers }, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('end', () => resolve(Buffer.concat(parts).toString()));
  }).on('error', reject);
  const { events } = JSON.parse(await promise);
  if (!Array.isArray(events)) throw new Error(`no page: ${address}`);
  return events;
}
