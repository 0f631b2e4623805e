import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Corpus } from './corpus/corpus.ts';
import { type Forge, forgeByPassword } from './corpus/forge.ts';
import { giveWay } from './load/give-way.ts';
import { HeavyWork } from './load/heavy-work.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { SERVER_REST_MS, ServerProcess } from './servers/server-process.ts';

// Measures the memory of the server during work that needs much of it, and the delay of its event loop during eight
// clones, archives and 50 small requests a second. Prints Markdown.
//
//   node bench/under-load.ts                 10,000 commits, 10,000 notes, a push of 300 MB
//   node bench/under-load.ts --quick         does it run?
//   node bench/under-load.ts --save          also writes bench/results/DATE-under-load.md

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, save: { type: 'boolean', default: false } },
});
const SIZE = values.quick ? { commits: 500, notes: 500 } : { commits: 10_000, notes: 10_000 };
const PUSHED_MB = values.quick ? 30 : 300;
const REQUESTS_PER_SECOND = 50;
const DELAY_MEASURED_MS = values.quick ? 3_000 : 20_000;
/** MB (10^6 bytes) and ms */
const AIMS = { afterStartMb: 100, underLoadMb: 250, afterLoadMb: 150, delayP99Ms: 20 } as const;

const folder = await mkdtemp(join(tmpdir(), 'quire-under-load-'));
await mkdir(join(folder, 'server'));
const server = await ServerProcess.start({
  ...quireCommand(join(folder, 'server'), []),
  hasOwnSession: true,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.stop().finally(() => process.exit(1)));
const printed: string[] = [];
try {
  print(
    `# Under load: ${SIZE.commits} commits, ${SIZE.notes} notes\n\n${JSON.stringify(describeMachine())}\n`,
  );
  print('| part | memory, MB: highest | at its end | aim | CPU, ms |');
  print('| --- | ---: | ---: | ---: | ---: |');
  await part('start and rest', () => sleep(SERVER_REST_MS), { endMb: AIMS.afterStartMb });
  const forge = await forgeByPassword(server.url, ADMINISTRATOR.login, ADMINISTRATOR.password);
  const work = new HeavyWork(forge, new Corpus(forge, folder, SIZE), folder);
  await measureMemory(work);
  await measureDelays(forge, work);
  print(`\nLoad of the machine at the end: ${loadNow()}`);
  if (values.save) {
    const date = new Date().toISOString().slice(0, 10);
    const file = join(import.meta.dirname, 'results', `${date}-under-load.md`);
    await writeFile(file, `${printed.join('\n')}\n`);
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureMemory(work: HeavyWork): Promise<void> {
  const aim = { highestMb: AIMS.underLoadMb };
  const push = () => work.push(PUSHED_MB / 10);
  await part('making the corpus', () => work.prepare(), {});
  await part('eight clones at once', () => work.clones(), aim);
  await part(`a push of ${PUSHED_MB} MB`, push, aim);
  await part('ten lists of all notes, one after the other', () => work.lists(10), aim);
  await part('eight clients with three lists each', () => work.readers(3), aim);
  await part(
    'eight clones, a push and lists at once',
    () => Promise.all([work.clones(), push(), work.lists(10)]),
    aim,
  );
  await part('rest', () => sleep(SERVER_REST_MS), { endMb: AIMS.afterLoadMb });
}

/** Prints the memory of the server, without its children, and the CPU time of both. */
async function part(
  name: string,
  work: () => Promise<unknown>,
  aim: { readonly highestMb?: number; readonly endMb?: number },
): Promise<void> {
  server.forgetPeak();
  const cpuBefore = server.cpuMs?.() ?? Number.NaN;
  await work();
  const cpuMs = (server.cpuMs?.() ?? Number.NaN) - cpuBefore;
  const memory = server.memoryMb() ?? { now: Number.NaN, peak: Number.NaN };
  const { highestMb, endMb } = aim;
  const wanted =
    highestMb === undefined ? (endMb === undefined ? '' : `end ${endMb}`) : `highest ${highestMb}`;
  print(
    `| ${name} | ${memory.peak.toFixed(0)} | ${memory.now.toFixed(0)} | ${wanted} | ${cpuMs.toFixed(0)} |`,
  );
}

async function measureDelays(forge: Forge, work: HeavyWork): Promise<void> {
  print('\n| delay of the event loop, ms | p50 | p90 | p99 | longest | aim of p99 |');
  print('| --- | ---: | ---: | ---: | ---: | ---: |');
  const small = (until: AbortSignal) => work.small(REQUESTS_PER_SECOND, until);
  giveWay();
  await delays(forge, 'no requests', async (until) => void (await aborted(until)));
  await delays(forge, `${REQUESTS_PER_SECOND} requests a second`, small);
  await delays(forge, 'the same, eight clones and archives', (until) =>
    Promise.all([small(until), work.clonesAndArchives(until)]),
  );
  print('\nA delay is the time between two ticks that should be 10 ms apart.');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function delays(
  forge: Forge,
  name: string,
  work: (until: AbortSignal) => Promise<unknown>,
): Promise<void> {
  // Each reading of the metrics begins the delays anew.
  await delaysMs(forge);
  await work(AbortSignal.timeout(DELAY_MEASURED_MS));
  const { p50, p90, p99, max } = await delaysMs(forge);
  const cells = [p50, p90, p99, max].map((ms) => ms.toFixed(1));
  print(`| ${name} | ${cells.join(' | ')} | ${AIMS.delayP99Ms} |`);
}

async function delaysMs(forge: Forge): Promise<Record<'p50' | 'p90' | 'p99' | 'max', number>> {
  const { body } = await forge.ask('GET', '/metrics');
  const text = body.toString();
  const ms = (name: string) =>
    Number(new RegExp(`^quire_nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1000;
  return { p50: ms('p50'), p90: ms('p90'), p99: ms('p99'), max: ms('max') };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
  printed.push(line);
}
