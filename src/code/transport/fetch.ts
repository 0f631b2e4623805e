import { Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { Pace } from '../../base/core/fairness/pace.ts';
import type { Received } from '../../base/core/spool/received.ts';
import { Deadline } from '../../base/core/time/deadline.ts';
import { inChunks, PktReader } from '../../git/format/pkt-line.ts';
import type { FetchAnswer } from '../../git/interface/transfers.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { takenAtPace } from '../../http/pace.ts';
import { bodyOf } from './bodies.ts';
import { NO_CACHE, protocolOf, serviceLine } from './headers.ts';
import { TRANSPORT_LIMITS } from './limits.ts';
import { listRefs, readListRefs } from './list-refs.ts';
import type { Transport } from './service.ts';
import type { FetchSource } from './targets.ts';

const RESULT = { ...NO_CACHE, 'content-type': 'application/x-git-upload-pack-result' };
const ADVERTISEMENT = { ...NO_CACHE, 'content-type': 'application/x-git-upload-pack-advertisement' };

/** Sends git's own list of refs, for protocols 0 and 1. */
export async function advertiseByGit(
  request: FastifyRequest,
  reply: FastifyReply,
  fetch: { transport: Transport; repository: FetchSource },
): Promise<FastifyReply> {
  const { transport, repository } = fetch;
  const answer = await transport.transfers.serveFetch(repository.id, {
    advertise: true,
    protocol: protocolOf(request),
    signal: request.caller.left,
  });
  const service = [serviceLine('git-upload-pack')];
  reply.headers(ADVERTISEMENT);
  return reply.send(
    streamOf(request, reply, { answer, service, patienceMs: transport.transfers.settings.patienceMs }),
  );
}

/** Answers a request for refs or objects. git gets a request only when it is complete. */
export async function answerFetch(
  request: FastifyRequest,
  reply: FastifyReply,
  fetch: { transport: Transport; repository: FetchSource },
): Promise<FastifyReply> {
  const { transport, repository } = fetch;
  await using receipt = new AsyncDisposableStack();
  const received = receipt.use(await receiveRequest(request, transport));
  const protocol = protocolOf(request);
  const { left: signal } = request.caller;
  const answer = await serveRequest({ transport, repository }, { received, protocol, signal });
  reply.headers(RESULT);
  if (answer.kind === 'refs') return reply.send(Readable.from(answer.packets, { objectMode: false }));
  const kept = receipt.move();
  void answer.git.done.then(() => kept.disposeAsync());
  return reply.send(
    streamOf(request, reply, {
      answer: answer.git,
      service: [],
      patienceMs: transport.transfers.settings.patienceMs,
    }),
  );
}

/** A complete request of a fetch. */
interface CompleteRequest {
  readonly received: Received;
  readonly protocol: string | undefined;
  /** fires when the response is sent or its client has left */
  readonly signal: AbortSignal;
}

type ServedRequest =
  | { readonly kind: 'refs'; readonly packets: Iterable<Buffer> }
  /** git reads the request until it is `done` */
  | { readonly kind: 'git'; readonly git: FetchAnswer };

/** Answers from rows what needs only refs, and lets git answer everything else. */
export async function serveRequest(
  { transport, repository }: { readonly transport: Transport; readonly repository: FetchSource },
  { received, protocol, signal }: CompleteRequest,
): Promise<ServedRequest> {
  const isNew = protocol === 'version=2';
  const asked = isNew ? await readListRefs(new PktReader(received.read()), repository.objectFormat) : null;
  if (asked !== null) {
    const snapshot = await transport.open(repository);
    return { kind: 'refs', packets: inChunks(listRefs(snapshot, asked)) };
  }
  const { transfers } = transport;
  const git = await transfers.serveFetch(repository.id, {
    advertise: false,
    protocol,
    input: received.read(),
    signal,
  });
  return { kind: 'git', git };
}

async function receiveRequest(request: FastifyRequest, transport: Transport): Promise<Received> {
  return transport.transfers.receiveRequest(async (received) => {
    using deadline = new DisposableStack();
    deadline.adopt(new Deadline(TRANSPORT_LIMITS.fetchRequestMs, () => request.raw.destroy()), (running) =>
      running.finish(),
    );
    for await (const chunk of bodyOf(request, transport.transfers.settings.patienceMs)) {
      if (received.size + chunk.length > TRANSPORT_LIMITS.fetchRequestBytesMax) {
        throw new ForgeError({ kind: 'too_large', what: 'the request is too large' });
      }
      await received.append(chunk);
    }
  });
}

function streamOf(
  request: FastifyRequest,
  reply: FastifyReply,
  fetch: { answer: FetchAnswer; service: readonly Buffer[]; patienceMs: number },
): Readable {
  const pace = new Pace(
    { patienceMs: fetch.patienceMs, bytesPerSecondMin: GIT_LIMITS.transferBytesPerSecondMin },
    () => reply.raw.destroy(),
  );
  const output = outputOf(request.log, fetch.answer);
  const whole = async function* () {
    yield* fetch.service;
    yield* takenAtPace(pace, output);
  };
  return Readable.from(whole(), { objectMode: false });
}

/** Yields the output of a child. If the child was killed, the response breaks off, so no client takes half for all. */
export async function* outputOf(log: FastifyBaseLogger, answer: FetchAnswer): AsyncGenerator<Buffer> {
  yield* answer.output.read();
  const { exitCode, stderr } = await answer.done;
  if (exitCode === 0) return;
  if (exitCode === null) throw new Error(`upload-pack was ended: ${stderr}`);
  // git also ends like this after a request that it cannot serve. Its output has given the client the reason.
  log.warn({ exitCode, stderr }, 'upload-pack ended with an error');
}
