import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import sources from '../bin/sources.cjs';
import { describeMachine, loadNow } from './report/machine.ts';
import { cpuMsOfTree } from './servers/process-usage.ts';
import { median } from './statistics.ts';

// Measures a throwaway server: from the start of its process to its line of JSON, a reset, and its memory (aim: a median of
// 30 ms for a reset at an idle moment). Run it from a build: `npm run build && node bench/forge.ts`.
//
// NAME=quiet saves the results in bench/results/DATE-forge-quiet.md.

const ROOT = join(import.meta.dirname, '..');
const STARTS = 9;
const RESETS = 31;
/** Longer than a server needs to prepare its next reset. */
const IDLE_MS = 400;
const AIM_MS = 30;

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
  readonly readyMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const machine = describeMachine();
const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
try {
  const seed = join(folder, 'whole.yaml');
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
  writeFileSync(seed, /^`whole\.yaml`:\n\n```yaml\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '');
  const rows = [
    await measure('empty world', []),
    await measure('world of docs/testing.md', ['--seed', seed]),
  ];
  const text = [
    '# A throwaway server',
    '',
    `${sources.isBuildCurrent(ROOT) ? 'From a build' : 'From the sources'}, medians of ${STARTS} starts and ${RESETS} resets; ${machine.cores} cores (${machine.processor}), Node ${machine.node}; load of the machine ${machine.loadBefore} before the run, ${loadNow()} after it`,
    '',
    `| | ready, ms | reset when idle, ms (aim ${AIM_MS}) | highest | reset after reset, ms | CPU of a start, ms | CPU of a reset and of preparing the next, ms | memory when ready, MB | after all resets, MB |`,
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'No other server of this family has a reset, so there is no row to compare with.',
    '',
  ].join('\n');
  process.stdout.write(text);
  const { NAME } = process.env;
  if (NAME !== undefined) {
    const results = join(import.meta.dirname, 'results');
    mkdirSync(results, { recursive: true });
    writeFileSync(join(results, `${new Date().toISOString().slice(0, 10)}-forge-${NAME}.md`), text);
  }
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(what: string, words: readonly string[]): Promise<string> {
  const ready: number[] = [];
  for (let index = 1; index < STARTS; index += 1) {
    const started = await start(words);
    ready.push(started.readyMs);
    await stop(started);
  }
  const forge = await start(words);
  ready.push(forge.readyMs);
  const atFirst = memoryOf(forge);
  const cpuOfStart = cpuMsOf(forge);
  const idle = await resets(forge, IDLE_MS);
  const busy = await resets(forge, 0);
  const atLast = memoryOf(forge);
  const cpuOfReset = (cpuMsOf(forge) - cpuOfStart) / (2 * (RESETS + 1));
  const times = [median(ready), median(idle), Math.max(...idle), median(busy)];
  const cells = [...times, cpuOfStart, cpuOfReset, atFirst, atLast];
  await stop(forge);
  return `| ${what} | ${cells.map((value) => value.toFixed(value < 20 ? 1 : 0)).join(' | ')} |`;
}

async function start(words: readonly string[]): Promise<Started> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'bin/main.mjs'), 'forge', ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { url: JSON.parse(line).url, child, readyMs: performance.now() - startedAt };
}

async function stop({ child }: Started): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
}

/** @returns the time of each reset, ms. The first one prepares the others, and does not count. */
async function resets(forge: Started, restMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index <= RESETS; index += 1) {
    await sleep(restMs);
    const startedAt = performance.now();
    await post(`${forge.url}/-/test/reset`);
    times.push(performance.now() - startedAt);
  }
  return times.slice(1);
}

async function post(url: string): Promise<void> {
  const sent = request(url, { method: 'POST', agent });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 204) throw new Error(`the reset failed: ${response.statusCode}`);
}

/** @returns the time that all its threads and processes have used */
function cpuMsOf({ child }: Started): number {
  return cpuMsOfTree(child.pid ?? 0);
}

/** @returns resident memory, MB. @see proc_pid_status(5) */
function memoryOf({ child }: Started): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}
