import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { forgeByPassword } from '../corpus/forge.ts';
import { Skipped } from '../model.ts';
import { cpuMsOfEndedChildren } from '../servers/process-usage.ts';
import { ADMINISTRATOR, quireCommand } from '../servers/quire.ts';
import { type ServerCommand, ServerProcess } from '../servers/server-process.ts';
import { addressOf, expectStatus, requireSame } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

/** Measures from the start of Node until the server can respond. */
export const STARTS: readonly Row[] = [
  {
    id: 'start',
    about: 'start with many repositories',
    kind: 'row',
    atOnce: 1,
    prepare: async (bench) => readyStarts(bench, 'start', bench.size.repositories),
  },
  {
    id: 'start-empty',
    about: 'start without repositories',
    kind: 'row',
    atOnce: 1,
    prepare: async (bench) => readyStarts(bench, 'start-empty', 0),
  },
  {
    id: 'start-bare',
    about: 'start of the bare Fastify server',
    kind: 'yardstick',
    atOnce: 1,
    prepare: async (bench) =>
      startsOf(bench, {
        args: [join(import.meta.dirname, '../servers/bare-server.ts'), '{}'],
        environment: {},
        logFile: join(bench.folder, 'bare-server.log'),
      }),
  },
];

async function readyStarts(bench: Bench, name: string, repositories: number): Promise<ReadyRow> {
  if (bench.server === null) throw new Skipped('the server runs elsewhere');
  const folder = join(bench.folder, name);
  await mkdir(folder);
  const command = quireCommand(folder, []);
  const server = await ServerProcess.start(command);
  await makeRepositories(bench, server.url, repositories);
  await server.stop();
  return startsOf(bench, command, async (url) => {
    const found = await fetch(`${url}/api/v1/version`);
    requireSame('status of the first answer', found.status, 200);
  });
}

async function makeRepositories({ load }: Bench, url: string, count: number): Promise<void> {
  if (count === 0) return;
  const forge = await forgeByPassword(url, ADMINISTRATOR.login, ADMINISTRATOR.password);
  const headers = { ...forge.byToken, 'content-type': 'application/json' };
  const requests = Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/api/v1/user/repos',
    headers,
    body: JSON.stringify({ name: `repository-${index}` }),
  }));
  await load.run({ ...addressOf(url), lanes: [requests], repeatForMs: null, expected: expectStatus(201) });
}

function startsOf(
  { size }: Bench,
  command: ServerCommand,
  check: (url: string) => Promise<void> = async () => {},
): ReadyRow {
  const round = async () => {
    const latenciesMs: number[] = [];
    for (let turn = 0; turn < size.starts; turn += 1) {
      const server = await ServerProcess.start(command);
      latenciesMs.push(server.readyMs);
      await check(server.url);
      await server.stop();
    }
    return { latenciesMs, elapsedMs: latenciesMs.reduce((total, ms) => total + ms, 0) };
  };
  return { round, cpuMs: cpuMsOfEndedChildren };
}
