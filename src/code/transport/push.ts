import type { FastifyReply, FastifyRequest } from 'fastify';
import { PktReader } from '../../git/format/pkt-line.ts';
import { bodyOf } from './bodies.ts';
import { NO_CACHE } from './headers.ts';
import { readPushRequest } from './receive-pack.ts';
import { runPush } from './run-push.ts';
import type { Transport } from './service.ts';
import { objectFormatOf, type PushTarget } from './targets.ts';

/** Reads a push and answers it with its report. */
export async function answerPush(
  request: FastifyRequest,
  reply: FastifyReply,
  push: { transport: Transport; target: PushTarget },
): Promise<FastifyReply> {
  const { transport, target } = push;
  const endUpload = await transport.transfers.uploads.enter();
  reply.raw.once('close', endUpload);
  const reader = new PktReader(bodyOf(request, transport.transfers.settings.patienceMs));
  const asked = await readPushRequest(reader, objectFormatOf(target));
  reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-receive-pack-result' });
  if (asked === undefined) return reply.send('');
  const pack = packOf(reader.remaining(), endUpload);
  const { viewer, log } = request;
  const client = { viewer, log, left: request.caller.left };
  return reply.send(runPush(client, { transport, target, push: asked, pack }));
}

/** Yields the pack of a push. Releases the slot of the upload at its end. */
async function* packOf(sent: AsyncIterable<Buffer>, endUpload: () => void): AsyncGenerator<Buffer> {
  try {
    yield* sent;
  } finally {
    endUpload();
  }
}
