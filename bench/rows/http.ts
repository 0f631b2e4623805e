import { hash } from 'node:crypto';
import type { Answer } from '../corpus/forge.ts';
import type { Expected, LoadRequest } from '../load/job.ts';
import type { Sample } from '../model.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

/** With one at a time latency shows, with eight throughput: more would only wait in line on two cores. */
export const AT_ONCE = [1, 8] as const;

/** The same row once for each number of connections: `name` and `name@8`. */
export function atOnceEach(row: Omit<Row, 'atOnce' | 'prepare'>, prepare: PrepareAtOnce): readonly Row[] {
  return AT_ONCE.map((atOnce) => ({
    ...row,
    id: atOnce === 1 ? row.id : `${row.id}@${atOnce}`,
    atOnce,
    prepare: (bench) => prepare(bench, atOnce),
  }));
}

type PrepareAtOnce = (bench: Bench, atOnce: number) => Promise<ReadyRow>;

export interface Get {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 200 where absent */
  readonly status?: number;
  /** @throws Error where the answer is not right */
  check(answer: Answer): void;
}

/**
 * A request that changes nothing: before each round asked once and checked in full, then again and again, each answer
 * being the same.
 *
 * @param current what to ask, told anew before each round
 */
export async function readyGet(
  bench: Bench,
  atOnce: number,
  current: () => Get | Promise<Get>,
): Promise<ReadyRow> {
  const { forge, load, size, server } = bench;
  let asked = await askChecked(bench, await current());
  const run = (repeatForMs: number): Promise<Sample> => {
    const lanes = Array.from({ length: atOnce }, () => [asked.request]);
    return load.run({ ...addressOf(forge.url), lanes, repeatForMs, expected: asked.expected });
  };
  return {
    begin: async () => {
      asked = await askChecked(bench, await current());
    },
    round: () => run(size.roundMs),
    warmUp: () => run(size.warmUpMs),
    cpuMs: server?.cpuMs ?? null,
  };
}

async function askChecked({ forge }: Bench, get: Get): Promise<{ request: LoadRequest; expected: Expected }> {
  const { path, headers, status = 200 } = get;
  const answer = await forge.ask('GET', path, { headers });
  if (answer.status !== status) throw new Error(`GET ${path}: ${answer.status} ${answer.body}`);
  get.check(answer);
  return { request: { method: 'GET', path, headers, body: '' }, expected: expectSame(answer) };
}

/** Requests that are each sent once. */
export function sendOnce(
  { load, forge }: Bench,
  lanes: readonly (readonly LoadRequest[])[],
  expected: Expected,
): Promise<Sample> {
  return load.run({ ...addressOf(forge.url), lanes, repeatForMs: null, expected });
}

export function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port === '' ? 80 : port) };
}

function expectSame({ status, body }: Answer): Expected {
  return { status, sha256: hash('sha256', body), bytes: { min: body.length, max: body.length } };
}

/** Of an answer that differs each time, only how it ended. */
export function expectStatus(status: number): Expected {
  return { status, sha256: null, bytes: { min: 0, max: Number.MAX_SAFE_INTEGER } };
}

/** Stops with what was expected and what came. */
export function requireSame(what: string, got: unknown, wanted: unknown): void {
  if (got !== wanted) throw new Error(`${what} is ${shown(got)}, not ${shown(wanted)}`);
}

function shown(value: unknown): string {
  return String(value).slice(0, 200);
}
