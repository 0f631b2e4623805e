import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Forge, startForge } from '../testing/index.ts';
import { describeMachine, loadNow } from './report/machine.ts';

// Measures 10,000 deliveries of webhooks to a receiver on this machine: what each costs in CPU, and how long the requests
// of members take meanwhile. The receiver is a process of its own. The members' requests come from the process of the
// server, so their times and the CPU include both sides.
//
//   node bench/webhooks.ts                     the embedded database
//   DATABASE_URL=… node bench/webhooks.ts      an empty PostgreSQL database
//
// NAME=sqlite saves the results in bench/results/DATE-webhooks-sqlite.md.

const HOOKS = 10;
const ISSUES = 500;
const PUSHES = 500;
const DELIVERIES = HOOKS * (ISSUES + PUSHES);
/** Pause between two requests of a member. */
const MEMBER_PAUSE_MS = 20;
/** How long members work while nothing is delivered. */
const QUIET_MS = 20_000;

if (process.argv[2] === 'receiver') await receive();
else await measureAll();

/** Answers each request, and reports how many have come. */
async function receive(): Promise<void> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1;
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.({ port: (server.address() as AddressInfo).port });
  process.on('message', () => process.send?.({ count }));
}

async function measureAll(): Promise<void> {
  const machine = describeMachine();
  const databaseUrl = process.env.DATABASE_URL;
  const settings = { outboundAllow: '127.0.0.1' };
  const forge = await startForge({ settings, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
  const receiver = fork(import.meta.filename, ['receiver']);
  try {
    const { port } = await answerOf(receiver);
    const quiet = await prepare(forge, Number(port));
    const busy = await deliver(forge, receiver);
    const perDelivery = (busy.cpuMs - (quiet.cpuMs / quiet.ms) * busy.ms) / DELIVERIES;
    const text = [
      '# Deliveries of webhooks',
      '',
      `${DELIVERIES.toLocaleString('en')} deliveries by ${HOOKS} webhooks, half of them pushes and half of them issues; ${forge.running.engines.database.dialect}; ${machine.cores} cores (${machine.processor}), Node ${machine.node}; load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it`,
      '',
      '| | |',
      '|---|---|',
      `| deliveries a second | ${Math.round(DELIVERIES / (busy.ms / 1000))} |`,
      `| CPU of a delivery, beside the work of members | ${perDelivery.toFixed(2)} ms |`,
      `| requests of a member while nothing is delivered | median ${quiet.median.toFixed(1)} ms, p99 ${quiet.p99.toFixed(1)} ms |`,
      `| requests of a member during the deliveries | median ${busy.median.toFixed(1)} ms, p99 ${busy.p99.toFixed(1)} ms |`,
      '',
    ].join('\n');
    process.stdout.write(text);
    const { NAME } = process.env;
    if (NAME !== undefined) {
      const folder = join(import.meta.dirname, 'results');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-webhooks-${NAME}.md`), text);
    }
  } finally {
    receiver.kill();
    await forge.stop();
  }
}

async function answerOf(receiver: ChildProcess): Promise<Readonly<Record<string, unknown>>> {
  const [answer] = await once(receiver, 'message');
  return answer as Readonly<Record<string, unknown>>;
}

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly median: number;
  readonly p99: number;
}

/** Makes the events, and webhooks that have not delivered them. @returns the times of members while nothing happens */
async function prepare(forge: Forge, port: number): Promise<Measured> {
  await send(forge, 'POST', '/user/repos', { name: 'engine', auto_init: true });
  for (let n = 0; n < ISSUES; n += 1)
    await send(forge, 'POST', '/repos/root/engine/issues', {
      title: `Issue ${n}`,
      body: 'It rattles.\n'.repeat(20),
    });
  for (let n = 0; n < PUSHES; n += 1) {
    const content = Buffer.from(`${n}\n`).toString('base64');
    await send(forge, 'POST', `/repos/root/engine/contents/f${n}.txt`, { content, message: `Add ${n}` });
  }
  const config = { url: `http://127.0.0.1:${port}/`, content_type: 'json', secret: 'secret' };
  for (let n = 0; n < HOOKS; n += 1)
    await send(forge, 'POST', '/repos/root/engine/hooks', {
      type: 'gitea',
      active: true,
      events: ['push', 'issues'],
      branch_filter: 'main',
      config,
    });
  await sleep(2_000);
  return measure(forge, async () => {
    await sleep(QUIET_MS);
  });
}

/** Has the webhooks deliver all events, and waits for the receiver to have them. */
async function deliver(forge: Forge, receiver: ChildProcess): Promise<Measured> {
  const hooks = (await send(forge, 'GET', '/repos/root/engine/hooks')) as readonly { readonly id: number }[];
  return measure(forge, async () => {
    for (const { id } of hooks)
      await send(
        forge,
        'POST',
        `/repos/root/engine/hooks/${id}/deliveries/redeliver?since=2000-01-01T00:00:00Z`,
      );
    for (let count = 0; count < DELIVERIES; ) {
      await sleep(200);
      receiver.send('count');
      count = Number((await answerOf(receiver)).count);
    }
  });
}

/** Measures the requests of a member while something else happens. */
async function measure(forge: Forge, work: () => Promise<void>): Promise<Measured> {
  const times: number[] = [];
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let isOver = false;
  const member = (async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const began = performance.now();
      await read(`${forge.url}/api/v1/repos/root/engine`, agent, forge.admin.token);
      times.push(performance.now() - began);
      await sleep(MEMBER_PAUSE_MS);
    }
    agent.destroy();
  })();
  await work();
  isOver = true;
  await member;
  const { user, system } = process.cpuUsage(before);
  times.sort((one, other) => one - other);
  return {
    ms: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    median: times[Math.floor(times.length / 2)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

async function read(address: string, agent: Agent, token: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(address, { agent, headers: { authorization: `token ${token}` } }, (response) => {
    response.resume().on('end', resolve);
  }).on('error', reject);
  await promise;
}

async function send(forge: Forge, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${forge.url}/api/v1${path}`, {
    method,
    headers: { authorization: `token ${forge.admin.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
