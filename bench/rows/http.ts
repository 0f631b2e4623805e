import { hash } from 'node:crypto';
import type { Answer } from '../corpus/forge.ts';
import type { Expected, LoadRequest } from '../load/job.ts';
import type { Sample } from '../model.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

/** One connection shows latency, sixteen show throughput, also that of servers with a thread for each request. */
export const AT_ONCE = [1, 16] as const;

/** Returns the same row for each number of connections: `name` and `name@16`. */
export function atOnceEach(row: Omit<Row, 'atOnce' | 'prepare'>, prepare: PrepareAtOnce): readonly Row[] {
  return AT_ONCE.map((atOnce) => ({
    ...row,
    id: atOnce === 1 ? row.id : `${row.id}@${atOnce}`,
    atOnce,
    prepare: (bench) => prepare(bench, atOnce),
  }));
}

/** Returns the rows of a request that stays the same in all rounds. */
export function getRow(id: string, about: string, get: (bench: Bench) => Promise<Get>): readonly Row[] {
  return atOnceEach({ id, about, kind: 'row' }, async (bench, atOnce) => {
    const asked = await get(bench);
    return readyGet(bench, atOnce, () => asked);
  });
}

export function jsonOf<T>({ body }: Pick<Answer, 'body'>): T {
  return JSON.parse(body.toString()) as T;
}

type PrepareAtOnce = (bench: Bench, atOnce: number) => Promise<ReadyRow>;

export interface Get {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** default: 200 */
  readonly status?: number;
  /** whether another server may order the same response differently each time; default: false */
  readonly hasAnyOrder?: boolean;
  /** @throws Error if the response is wrong */
  check(answer: Answer): void;
}

/**
 * Measures a request that changes nothing. Sends it once before each round to check the response completely. Then sends
 * it repeatedly and expects the same response.
 *
 * @param current returns the request; called before each round
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
      await run(size.warmUpAgainMs);
    },
    round: () => run(size.roundMs),
    warmUp: () => run(size.warmUpMs),
    cpuMs: server?.cpuMs ?? null,
  };
}

async function askChecked({ forge }: Bench, get: Get): Promise<{ request: LoadRequest; expected: Expected }> {
  const { path, headers, status = 200, hasAnyOrder = false } = get;
  const answer = await forge.ask('GET', path, { headers });
  if (answer.status !== status) throw new Error(`GET ${path}: ${answer.status} ${answer.body}`);
  get.check(answer);
  const expected = expectSame(answer);
  return {
    request: { method: 'GET', path, headers, body: '' },
    expected: hasAnyOrder ? { ...expected, sha256: null } : expected,
  };
}

/** Sends each request once. */
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

/** Checks only the status, for responses that differ each time. */
export function expectStatus(status: number): Expected {
  return { status, sha256: null, bytes: { min: 0, max: Number.MAX_SAFE_INTEGER } };
}

/** Throws an error that states both values if they differ. */
export function requireSame(what: string, got: unknown, wanted: unknown): void {
  if (got !== wanted) throw new Error(`${what} is ${shown(got)}, not ${shown(wanted)}`);
}

function shown(value: unknown): string {
  return String(value).slice(0, 200);
}
