import { ForgeError } from '../../base/core/failure.ts';
import { withoutEndSlashes } from '../../base/core/text/text.ts';
import type { OutboundResponse } from '../../base/outbound/model.ts';
import { PktReader } from '../format/pkt-line.ts';
import { malformed } from './advertisement.ts';
import { mayStatusPass, RemoteError, type RemoteSource } from './model.ts';

/** Other servers may treat clients that are not git as browsers. */
export const AGENT = 'git/quire';

/** What an answer has to be. */
export interface Expected {
  readonly type: string;
  /** the other server, as messages name it */
  readonly from: 'source' | 'target';
}

export function below(url: URL, rest: string): URL {
  return new URL(`${withoutEndSlashes(url.href)}/${rest}`);
}

/** Returns the repository at which a redirected request was answered. Another origin gets no credentials. */
export function movedTo(source: RemoteSource, answered: URL): RemoteSource {
  const path = /^(.*)\/info\/refs$/.exec(answered.pathname)?.[1];
  if (path === undefined) throw malformed();
  const url = new URL(path, answered.origin);
  return { url, authorization: url.origin === source.url.origin ? source.authorization : undefined };
}

/**
 * Reads an answer, and ends its connection.
 *
 * @throws RemoteError, OutboundError; the reason of the signal
 */
export async function readAnswer<T>(
  response: OutboundResponse,
  expected: Expected,
  read: (reader: PktReader) => Promise<T>,
): Promise<T> {
  try {
    requireAnswer(response, expected);
    return await read(new PktReader(response.body));
  } catch (error) {
    throw remoteErrorOf(error);
  } finally {
    response.end();
  }
}

/** The reader of packets was made for requests of clients. */
export function remoteErrorOf(error: unknown): unknown {
  return error instanceof ForgeError ? malformed() : error;
}

const MAY = { source: 'read it', target: 'push to it' };

/** @throws RemoteError */
export function requireAnswer({ status, header }: OutboundResponse, { type, from }: Expected): void {
  if (status === 401 || status === 403)
    throw new RemoteError(`the ${from} denies access: give credentials that may ${MAY[from]}`, {
      isAbsent: true,
    });
  if (status === 404 || status === 410)
    throw new RemoteError(`the ${from} has no repository at this address`, { isAbsent: true });
  if (status !== 200)
    throw new RemoteError(`the ${from} answers with status ${status}`, { mayPass: mayStatusPass(status) });
  const [found = ''] = (header('content-type') ?? '').split(';');
  if (found.trim() !== type) throw malformed();
}
