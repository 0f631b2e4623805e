import { ForgeError } from '../../../base/core/failure.ts';
import { CLIENT_LEFT } from '../../../base/core/fairness/caller.ts';
import type { Received } from '../../../base/core/spool/received.ts';
import { Deadline } from '../../../base/core/time/deadline.ts';
import { DELIMITER, FLUSH, PktReader, pktLine } from '../../../git/format/pkt-line.ts';
import { takenAtPace } from '../../../http/pace.ts';
import { outputOf, serveRequest } from '../../transport/fetch.ts';
import { TRANSPORT_LIMITS } from '../../transport/limits.ts';
import { advertiseCapabilities } from '../../transport/list-refs.ts';
import type { Transport } from '../../transport/service.ts';
import type { FetchSource } from '../../transport/targets.ts';
import type { SshClient } from '../model.ts';
import { paceOf, whileQuiet } from './input.ts';

interface Fetch {
  readonly transport: Transport;
  readonly repository: FetchSource;
  readonly version: string;
  /** value of GIT_PROTOCOL, if it is a known one */
  readonly protocol: string | undefined;
}

/**
 * Talks to a client that fetches. In protocol version 2, each request of the client is complete in itself, so it is
 * answered as over HTTP: git works only while it has a complete request.
 *
 * @see gitprotocol-v2(5)
 */
export async function serveFetchOverSsh(client: SshClient, fetch: Fetch): Promise<void> {
  if (fetch.protocol !== 'version=2') return converse(client, fetch);
  const { transport, repository, version } = fetch;
  await client.write(advertiseCapabilities(repository.objectFormat, version));
  const reader = new PktReader(client.input);
  for (;;) {
    const first = await whileQuiet(client, reader.next());
    // A flush packet instead of a request ends the conversation, and so does the end of the input.
    if (first === undefined || first === null) return;
    await using received = await receive(client, { transport, reader, first });
    await answer(client, fetch, received);
  }
}

/** Receives a request up to its flush packet. */
function receive(
  client: SshClient,
  { transport, reader, first }: { transport: Transport; reader: PktReader; first: Buffer },
): Promise<Received> {
  return transport.transfers.receiveRequest(async (received) => {
    const deadline = new Deadline(TRANSPORT_LIMITS.fetchRequestMs, () => client.drop());
    try {
      await received.append(pktLine(first));
      for (;;) {
        const packet = await reader.next({ delimiter: true });
        if (packet === undefined) throw endsEarly();
        if (packet === null) return await received.append(FLUSH);
        const bytes = packet === DELIMITER ? DELIMITER : pktLine(packet);
        if (received.size + bytes.length > TRANSPORT_LIMITS.fetchRequestBytesMax) throw tooLarge();
        await received.append(bytes);
      }
    } finally {
      deadline.finish();
    }
  });
}

async function answer(client: SshClient, fetch: Fetch, received: Received): Promise<void> {
  const { protocol } = fetch;
  const answered = new AbortController();
  const signal = AbortSignal.any([client.left, answered.signal]);
  try {
    const served = await serveRequest(fetch, { received, protocol, signal });
    if (served.kind === 'refs') {
      for (const chunk of served.packets) await client.write(chunk);
      return;
    }
    await send(client, fetch, outputOf(client.log, served.git));
    await served.git.done;
  } finally {
    answered.abort(CLIENT_LEFT);
  }
}

/** Lets git itself talk to a client that uses an older protocol. A client holds the process while it negotiates. */
async function converse(client: SshClient, fetch: Fetch): Promise<void> {
  const answered = new AbortController();
  const signal = AbortSignal.any([client.left, answered.signal]);
  const negotiation = new Deadline(TRANSPORT_LIMITS.fetchRequestMs, () => client.drop());
  try {
    const git = await fetch.transport.transfers.serveFetch(fetch.repository.id, {
      advertise: false,
      isConversation: true,
      protocol: fetch.protocol,
      input: negotiated(client, negotiation),
      signal,
    });
    await send(client, fetch, outputOf(client.log, git));
  } finally {
    negotiation.finish();
    answered.abort(CLIENT_LEFT);
  }
}

/** Yields what a client sends up to the end of the negotiation. After that, git needs nothing of it. */
async function* negotiated(client: SshClient, negotiation: Deadline): AsyncGenerator<Buffer> {
  const reader = new PktReader(client.input);
  let bytes = 0;
  for (;;) {
    const packet = await reader.next({ delimiter: true });
    if (packet === undefined) return;
    const sent = packet === null ? FLUSH : packet === DELIMITER ? DELIMITER : pktLine(packet);
    bytes += sent.length;
    if (bytes > TRANSPORT_LIMITS.fetchRequestBytesMax) throw tooLarge();
    yield sent;
    if (packet?.toString('latin1', 0, 4) !== 'done') continue;
    negotiation.finish();
    return;
  }
}

async function send(client: SshClient, { transport }: Fetch, output: AsyncIterable<Buffer>): Promise<void> {
  const { patienceMs } = transport.transfers.settings;
  for await (const chunk of takenAtPace(paceOf(client, patienceMs), output)) await client.write(chunk);
}

function endsEarly(): ForgeError {
  return new ForgeError({ kind: 'bad_request', what: 'the request ends too early' });
}

function tooLarge(): ForgeError {
  return new ForgeError({ kind: 'too_large', what: 'the request is too large' });
}
