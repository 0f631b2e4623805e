import type { OutboundClient } from '../../base/outbound/client.ts';
import { type OutboundResponse, readWhole } from '../../base/outbound/model.ts';
import { mayStatusPass, RemoteError } from '../../git/remote/model.ts';
import type { Credentials } from '../../hosting/mirrors/model.ts';
import { authorizationOf } from '../../hosting/mirrors/source.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** Another server whose API an import reads. */
export interface JsonSource {
  /** address of the API, without a slash at its end */
  readonly api: string;
  readonly credentials: Credentials | null;
  readonly signal: AbortSignal;
}

/** Reads the API of another server. */
export class JsonServer {
  readonly #outbound: OutboundClient;
  readonly #api: string;
  readonly #authorization: string | undefined;
  readonly #signal: AbortSignal;

  constructor(outbound: OutboundClient, { api, credentials, signal }: JsonSource) {
    this.#outbound = outbound;
    this.#api = api;
    this.#authorization = authorizationOf(credentials);
    this.#signal = signal;
  }

  /**
   * @param path with its query
   * @throws OutboundError; the reason of the signal
   */
  send(path: string, options: { bytesMax?: number } = {}): Promise<OutboundResponse> {
    return this.#outbound.send({
      method: 'GET',
      url: new URL(`${this.#api}${path}`),
      headers: { accept: 'application/json' },
      authorization: this.#authorization,
      deadlineMs: IMPORT_LIMITS.importedPageMs,
      bytesMax: options.bytesMax ?? IMPORT_LIMITS.importedPageBytesMax,
      signal: this.#signal,
    });
  }
}

/**
 * Reads a whole response.
 *
 * @param what is read, for the message
 * @throws RemoteError for a status other than 200; OutboundError; the reason of the signal
 */
export async function bytesOf(response: OutboundResponse, what: string): Promise<Buffer> {
  if (response.status === 200) return readWhole(response);
  response.end();
  throw refused(response.status, what);
}

/** @throws as `bytesOf`, and RemoteError for anything but JSON */
export async function jsonOf(response: OutboundResponse, what: string): Promise<unknown> {
  const bytes = await bytesOf(response, what);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new RemoteError(`the source sends no JSON for ${what}: is the address right?`, { cause: error });
  }
}

function refused(status: number, what: string): RemoteError {
  if (status === 401 || status === 403)
    return new RemoteError(`the source denies access: give credentials that may read its ${what}`);
  return new RemoteError(`the source answers with status ${status} for ${what}`, {
    mayPass: mayStatusPass(status),
  });
}
