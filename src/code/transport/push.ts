import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diskFull, isDiskFull } from '../../base/core/files/disk-full.ts';
import { FLUSH, PktReader, pktLine, sideBand } from '../../git/format/pkt-line.ts';
import { bodyOf } from './bodies.ts';
import { NO_CACHE } from './headers.ts';
import {
  encodeReport,
  type PushReport,
  type PushRequest,
  readPushRequest,
  unstoredPush,
} from './receive-pack.ts';
import type { Transport } from './service.ts';
import { objectFormatOf, type PushTarget } from './targets.ts';

const KEEPALIVE_MS = 5_000;
/** An empty side band packet: the server is still working. */
const KEEPALIVE = pktLine(Buffer.of(1));

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
  const pack = packOf(reader, endUpload);
  return reply.send(runPush(request, { transport, target, push: asked, pack }));
}

/** Yields the pack of a push. Releases the slot of the upload at its end. */
async function* packOf(reader: PktReader, endUpload: () => void): AsyncGenerator<Buffer> {
  try {
    yield* reader.remaining();
  } finally {
    endUpload();
  }
}

/** Runs the push and streams its progress to clients that can show it. */
function runPush(
  request: FastifyRequest,
  work: { transport: Transport; target: PushTarget; push: PushRequest; pack: AsyncIterable<Buffer> },
): Readable {
  const { transport, target, push, pack } = work;
  const out = new PassThrough();
  const hasSideBand = push.capabilities.has('side-band-64k');
  const say = (band: 1 | 2 | 3, text: Uint8Array) => {
    for (const packet of sideBand(band, text)) out.write(packet);
  };
  const keepalive = hasSideBand ? setInterval(() => out.write(KEEPALIVE), KEEPALIVE_MS) : undefined;
  const onProgress = (text: Uint8Array) => {
    if (hasSideBand) say(2, text);
  };
  const sendReport = (report: PushReport) => {
    const wanted = push.capabilities.has('report-status') || push.capabilities.has('report-status-v2');
    const namesRefs = push.capabilities.has('report-status-v2');
    const encoded = wanted ? encodeReport(report, { namesRefs }) : Buffer.alloc(0);
    if (hasSideBand) say(1, encoded);
    else out.write(encoded);
  };
  const sayRemarks = async (report: PushReport) => {
    // git asks for a quiet server whenever its output is not a terminal, so that says nothing about remarks.
    if (!hasSideBand) return;
    const text = await transport.remarksAbout(request.viewer, target, { push, report }, (error) =>
      request.log.error({ err: error }, 'no remarks about a push'),
    );
    say(2, Buffer.from(text));
  };
  transport
    .push(request.viewer, target, push, { stream: pack, onProgress })
    .then(async (report) => {
      if (report.fault !== undefined) request.log.error({ err: report.fault }, 'push failed');
      sendReport(report);
      await sayRemarks(report);
    })
    .catch((error: unknown) => {
      if (request.caller.left.aborted) return;
      request.log.error({ err: error }, 'push failed');
      const what = isDiskFull(error) ? diskFull(error).message : 'internal server error';
      if (hasSideBand) say(3, Buffer.from(`${what}\n`));
      else sendReport(unstoredPush(push, what));
    })
    .finally(async () => {
      // The push may have failed before its pack was read.
      await transport.transfers.discardRest(pack);
      clearInterval(keepalive);
      out.end(hasSideBand ? FLUSH : undefined);
    });
  return out;
}
