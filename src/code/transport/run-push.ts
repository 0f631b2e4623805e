import { PassThrough, type Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Viewer } from '../../api/access/viewer.ts';
import { diskFull, isDiskFull } from '../../base/core/files/disk-full.ts';
import { FLUSH, pktLine, sideBand } from '../../git/format/pkt-line.ts';
import { encodeReport, type PushReport, type PushRequest, unstoredPush } from './receive-pack.ts';
import type { Transport } from './service.ts';
import type { PushTarget } from './targets.ts';

const KEEPALIVE_MS = 5_000;
/** An empty side band packet: the server is still working. */
const KEEPALIVE = pktLine(Buffer.of(1));

/** The client that pushes. */
interface PushClient {
  readonly viewer: Viewer;
  readonly log: FastifyBaseLogger;
  /** fires when the client has left */
  readonly left: AbortSignal;
}

/** Runs the push and streams its progress to clients that can show it. */
export function runPush(
  client: PushClient,
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
    const text = await transport.remarksAbout(client.viewer, target, { push, report }, (error) =>
      client.log.error({ err: error }, 'no remarks about a push'),
    );
    say(2, Buffer.from(text));
  };
  transport
    .push(client.viewer, target, push, { stream: pack, onProgress })
    .then(async (report) => {
      if (report.fault !== undefined) client.log.error({ err: report.fault }, 'push failed');
      sendReport(report);
      await sayRemarks(report);
    })
    .catch((error: unknown) => {
      if (client.left.aborted) return;
      client.log.error({ err: error }, 'push failed');
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
