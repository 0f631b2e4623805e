import { IncomingMessage } from 'node:http';
import { PassThrough, Readable, Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { ObjectFormat } from '../git/model.ts';
import { FLUSH, PktReader, pktLine, sideBand } from '../git/wire/pkt-line.ts';
import type { App } from '../http/app.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { advertiseCapabilities, listRefs, readListRefs } from './list-refs.ts';
import { advertiseRefs, encodeReport, type PushRequest, readPushRequest } from './receive-pack.ts';
import type { PushTarget, Transport } from './service.ts';

const KEEPALIVE_MS = 5_000;
/** An empty side band packet: the server is still working. */
const KEEPALIVE = pktLine(Buffer.of(1));

const Params = Type.Object({ owner: Type.String(), repo: Type.String() });

const NO_CACHE = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
};

export function transportRoutes(app: App, dependencies: { transport: Transport; version: string }): void {
  const { transport, version } = dependencies;
  takeGitBodies(app);

  app.get(
    '/:owner/:repo/info/refs',
    {
      config: { action: REPOSITORY.fetch },
      schema: { params: Params, querystring: Type.Object({ service: Type.Optional(Type.String()) }) },
    },
    async (request, reply) => {
      const path = pathOf(request.params);
      const { service } = request.query;
      if (service === 'git-upload-pack') return advertiseFetch(request, reply, { transport, version, path });
      if (service === 'git-receive-pack') return advertisePush(request, reply, { transport, version, path });
      throw new ForgeError({
        kind: 'forbidden',
        what: 'only the smart protocol is spoken here: use a newer git',
      });
    },
  );

  app.post(
    '/:owner/:repo/git-upload-pack',
    { config: { action: REPOSITORY.fetch }, schema: { params: Params } },
    async (request, reply) => {
      const repository = await transport.openForFetch(request.viewer, pathOf(request.params));
      const input = bounded(bodyOf(request), LIMITS.fetchRequestBytesMax);
      if (protocolOf(request) !== 'version=2') {
        return answerFetch(request, reply, transport, { repository, advertise: false, input });
      }
      const reader = new PktReader(input);
      const asked = await readListRefs(reader, repository.objectFormat);
      if ('sent' in asked) {
        const whole = Readable.from(resent(asked.sent, reader), { objectMode: false });
        return answerFetch(request, reply, transport, { repository, advertise: false, input: whole });
      }
      const snapshot = await transport.open(repository);
      reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-upload-pack-result' });
      return reply.send(Readable.from(listRefs(snapshot, asked), { objectMode: false }));
    },
  );

  app.post(
    '/:owner/:repo/git-receive-pack',
    { config: { action: REPOSITORY.push }, schema: { params: Params } },
    async (request, reply) => {
      const target = await transport.openForPush(request.viewer, pathOf(request.params));
      const reader = new PktReader(bodyOf(request));
      const push = await readPushRequest(reader, objectFormatOf(target));
      reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-receive-pack-result' });
      if (push === undefined) return reply.send('');
      return reply.send(answerPush(request, { transport, target, push, reader }));
    },
  );
}

async function advertiseFetch(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: { transport: Transport; version: string; path: RepositoryPath },
): Promise<FastifyReply> {
  const repository = await asked.transport.openForFetch(request.viewer, asked.path);
  if (protocolOf(request) !== 'version=2') {
    return answerFetch(request, reply, asked.transport, { repository, advertise: true });
  }
  reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-upload-pack-advertisement' });
  return reply.send(advertiseCapabilities(repository.objectFormat, asked.version));
}

/** Yields the bytes that were read to recognize the command, then the rest of the request. */
async function* resent(sent: Buffer, reader: PktReader): AsyncGenerator<Buffer> {
  yield sent;
  yield* reader.remaining();
}

async function advertisePush(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: { transport: Transport; version: string; path: RepositoryPath },
): Promise<FastifyReply> {
  const target = await asked.transport.openForPush(request.viewer, asked.path);
  const snapshot = target.kind === 'existing' ? await asked.transport.open(target.repository) : null;
  const refs = snapshot ?? { objectFormat: objectFormatOf(target), refs: () => [] };
  const protocol = protocolOf(request) === 'version=1' ? 1 : 0;
  reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-receive-pack-advertisement' });
  return reply.send(Buffer.concat([...advertiseRefs(refs, { version: asked.version, protocol })]));
}

function objectFormatOf(target: PushTarget): ObjectFormat {
  return target.kind === 'existing' ? target.repository.objectFormat : target.creation.wanted.objectFormat;
}

async function answerFetch(
  request: FastifyRequest,
  reply: FastifyReply,
  transport: Transport,
  fetch: { repository: Repository; advertise: boolean; input?: Readable },
): Promise<FastifyReply> {
  const { repository, ...asked } = fetch;
  const protocol = protocolOf(request);
  const { stdout, done } = await transport.fetch(repository, {
    ...asked,
    ...(protocol === undefined ? {} : { protocol }),
    signal: request.caller.left,
  });
  const kind = asked.advertise ? 'advertisement' : 'result';
  reply.headers({ ...NO_CACHE, 'content-type': `application/x-git-upload-pack-${kind}` });
  const answer = fetchAnswer(request, { ...asked, stdout, done });
  return reply.send(Readable.from(answer, { objectMode: false }));
}

/** Yields the output of a child. If the child was killed, the response breaks off, so no client takes half for all. */
async function* fetchAnswer(
  request: FastifyRequest,
  fetch: {
    advertise: boolean;
    input?: Readable;
    stdout: Readable;
    done: Promise<{ exitCode: number | null; stderr: string }>;
  },
): AsyncGenerator<Buffer> {
  if (fetch.advertise) yield* [pktLine('# service=git-upload-pack\n'), FLUSH];
  try {
    yield* fetch.stdout;
  } catch (error) {
    // An invalid request ends the child: report the request, not the child.
    throw fetch.input?.errored ?? error;
  }
  const { exitCode, stderr } = await fetch.done;
  if (fetch.input?.errored != null) throw fetch.input.errored;
  if (exitCode === 0) return;
  if (exitCode === null) throw new Error(`upload-pack was ended: ${stderr}`);
  // git also ends like this after a request that it cannot serve. Its output has given the client the reason.
  request.log.warn({ exitCode, stderr }, 'upload-pack ended with an error');
}

/** Runs the push and streams its progress to clients that can show it. */
function answerPush(
  request: FastifyRequest,
  work: { transport: Transport; target: PushTarget; push: PushRequest; reader: PktReader },
): Readable {
  const { transport, target, push, reader } = work;
  const out = new PassThrough();
  const hasSideBand = push.capabilities.has('side-band-64k');
  const say = (band: 1 | 2 | 3, text: Uint8Array) => {
    for (const packet of sideBand(band, text)) out.write(packet);
  };
  const keepalive = hasSideBand ? setInterval(() => out.write(KEEPALIVE), KEEPALIVE_MS) : undefined;
  const onProgress = (text: Uint8Array) => {
    if (hasSideBand) say(2, text);
  };
  const stream = Readable.from(reader.remaining(), { objectMode: false });
  transport
    .push(request.viewer, target, push, { stream, onProgress })
    .then((report) => {
      const wanted = push.capabilities.has('report-status') || push.capabilities.has('report-status-v2');
      const encoded = wanted ? encodeReport(report) : Buffer.alloc(0);
      if (hasSideBand) say(1, encoded);
      else out.write(encoded);
    })
    .catch((error: unknown) => {
      request.log.error({ err: error }, 'push failed');
      if (hasSideBand) say(3, Buffer.from('internal server error\n'));
    })
    .finally(() => {
      clearInterval(keepalive);
      out.end(hasSideBand ? FLUSH : undefined);
    });
  return out;
}

/** Passes bodies of git's own types on as streams and rejects every other type before reading it. */
function takeGitBodies(app: App): void {
  app.removeAllContentTypeParsers();
  for (const service of ['upload-pack', 'receive-pack']) {
    app.addContentTypeParser(`application/x-git-${service}-request`, (_request, payload, done) =>
      done(null, payload),
    );
  }
}

/** Returns the body without the compression that git adds to requests of over a kilobyte. */
function bodyOf(request: FastifyRequest): Readable {
  const service = request.routeOptions.url?.endsWith('git-receive-pack') ? 'receive-pack' : 'upload-pack';
  if (request.headers['content-type'] !== `application/x-git-${service}-request`) {
    const what = `send application/x-git-${service}-request`;
    throw new ForgeError({ kind: 'unsupported_media_type', what });
  }
  const body = request.body as Readable;
  request.raw.setTimeout(LIMITS.transferIdleMs, () => request.raw.destroy());
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new ForgeError({ kind: 'unsupported_media_type', what: `unknown content encoding ${encoding}` });
  }
  return Readable.from(inflate(body), { objectMode: false });
}

/**
 * Reports a body that is not gzip as the client's error. The body stays open, because the response uses its connection.
 */
async function* inflate(body: Readable): AsyncGenerator<Buffer> {
  const inflated = createGunzip();
  body.once('error', (error) => inflated.destroy(error));
  try {
    yield* body.pipe(inflated);
  } catch (cause) {
    if (body.errored !== null) throw cause;
    throw new ForgeError({ kind: 'bad_request', what: 'the body is not gzip, or ends early' }, { cause });
  }
}

/** Passes on at most `bytesMax`, counted after inflating: a small request can expand into a very large one. */
function bounded(source: Readable, bytesMax: number): Readable {
  let bytes = 0;
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(new ForgeError({ kind: 'too_large', what: 'the request is too large' }));
      else done(null, chunk);
    },
  });
  source.once('error', (error) => gate.destroy(error));
  // The error response uses the connection of the body.
  gate.once('error', () => source instanceof IncomingMessage || source.destroy());
  return source.pipe(gate);
}

/** Ignores every value except the three known versions, because the value becomes part of a child's environment. */
function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers['git-protocol'];
  return typeof header === 'string' && /^version=[012]$/.test(header) ? header : undefined;
}

function pathOf(params: { owner: string; repo: string }): RepositoryPath {
  return { owner: params.owner, name: params.repo.replace(/\.git$/i, '') };
}
