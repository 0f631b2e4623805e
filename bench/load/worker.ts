import { hash } from 'node:crypto';
import { type EncodedRequest, encodeRequest, type HttpAnswer, HttpConnection } from './http-connection.ts';
import type { Expected, LoadJob, LoadOutcome } from './job.ts';

// A separate process, so that client and server never wait for each other's CPU time.

async function work(job: LoadJob): Promise<LoadOutcome> {
  const lanes = await Promise.all(
    job.lanes.map(async (requests) => ({
      connection: await HttpConnection.open(job.host, job.port),
      encoded: requests.map((request) => encodeRequest(`${job.host}:${job.port}`, request)),
    })),
  );
  try {
    const startedAt = performance.now();
    const until = job.repeatForMs === null ? null : startedAt + job.repeatForMs;
    const latencies = await Promise.all(lanes.map((lane) => runLane(lane, until, job.expected)));
    return { kind: 'done', latenciesMs: latencies.flat(), elapsedMs: performance.now() - startedAt };
  } finally {
    for (const { connection } of lanes) connection.close();
  }
}

async function runLane(
  lane: { connection: HttpConnection; encoded: readonly EncodedRequest[] },
  until: number | null,
  expected: Expected,
): Promise<readonly number[]> {
  const latenciesMs: number[] = [];
  do {
    for (const request of lane.encoded) {
      const sentAt = performance.now();
      const answer = await lane.connection.send(request);
      latenciesMs.push(performance.now() - sentAt);
      requireExpected(answer, expected);
    }
  } while (until !== null && performance.now() < until);
  return latenciesMs;
}

/** Hashing a large body would delay the next request, so only its length is checked. */
const HASHED_BYTES_MAX = 256 * 1024;

function requireExpected({ status, body }: HttpAnswer, expected: Expected): void {
  const text = () => body.subarray(0, 300).toString();
  if (status !== expected.status) throw new Error(`${status} instead of ${expected.status}: ${text()}`);
  const { min, max } = expected.bytes;
  if (body.length < min || body.length > max) {
    throw new Error(`${body.length} bytes instead of ${min} to ${max}: ${text()}`);
  }
  if (expected.sha256 === null || body.length > HASHED_BYTES_MAX) return;
  if (hash('sha256', body) !== expected.sha256)
    throw new Error(`the response differs from the first one: ${text()}`);
}

process.on('message', (job: LoadJob) => {
  work(job).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => process.send?.({ kind: 'failed', why: String(error) } satisfies LoadOutcome),
  );
});
// The parent process has ended.
process.on('disconnect', () => process.exit());
