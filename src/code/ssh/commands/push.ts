import type { Viewer } from '../../../api/access/viewer.ts';
import type { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { inChunks, PktReader } from '../../../git/format/pkt-line.ts';
import { takenAtPace } from '../../../http/pace.ts';
import { advertiseRefs, type PushRequest, readPushRequest } from '../../transport/receive-pack.ts';
import { runPush } from '../../transport/run-push.ts';
import type { Transport } from '../../transport/service.ts';
import { objectFormatOf, type PushTarget } from '../../transport/targets.ts';
import type { SshClient } from '../model.ts';
import { begun, ClientInput, paceOf } from './input.ts';
import { untilPackEnd } from './pack-end.ts';

interface Push {
  readonly transport: Transport;
  readonly viewer: Viewer;
  readonly target: PushTarget;
  readonly version: string;
  /** value of GIT_PROTOCOL, if it is a known one */
  readonly protocol: string | undefined;
}

/**
 * Talks to a client that pushes: the refs, its commands, its pack, and the report.
 *
 * @see gitprotocol-pack(5)
 */
export async function servePushOverSsh(client: SshClient, push: Push): Promise<void> {
  const { transport, viewer, target, version } = push;
  const { patienceMs } = transport.transfers.settings;
  const snapshot = await transport.openTarget(target);
  const objectFormat = objectFormatOf(target);
  const refs = snapshot ?? { objectFormat, refs: () => [] };
  const protocol = push.protocol === 'version=1' ? 1 : 0;
  for (const chunk of inChunks(advertiseRefs(refs, { version, protocol }))) await client.write(chunk);
  const input = new ClientInput(client, patienceMs);
  const reader = new PktReader(input.read());
  const asked = await readPushRequest(reader, objectFormat);
  if (asked === undefined) return;
  // The client computes the pack now. Nothing of the server waits for it.
  input.mayBeQuiet();
  const sent = hasPack(asked) ? untilPackEnd(reader.remaining(), objectFormat) : nothing();
  const pack = await begun(received(sent, transport.transfers.uploads));
  const { log, left } = client;
  const report = runPush({ viewer, log, left }, { transport, target, push: asked, pack });
  for await (const chunk of takenAtPace(paceOf(client, patienceMs), report)) await client.write(chunk);
}

/** git sends no pack to delete refs. */
function hasPack({ updates }: PushRequest): boolean {
  return updates.some((update) => update.new !== null);
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Yields a pack, and holds a slot for uploads while it arrives. */
async function* received(
  sent: AsyncIterable<Buffer>,
  uploads: Pick<FairSlots, 'enter'>,
): AsyncGenerator<Buffer> {
  let endUpload: (() => void) | undefined;
  try {
    for await (const chunk of sent) {
      endUpload ??= await uploads.enter();
      yield chunk;
    }
  } finally {
    endUpload?.();
  }
}
