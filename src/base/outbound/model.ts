/** Why a request to another server failed. */
export type OutboundFailure =
  /** the rules of this site deny the host, one of its addresses, or the port */
  | 'denied'
  /** the name has no address */
  | 'unknown-host'
  | 'unreachable'
  | 'timeout'
  /** the connection ended before the response did */
  | 'cut-off'
  | 'too-large'
  | 'redirect';

/** A request to another server failed. The message has no address of this network and no credential. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.failure = failure;
  }
}

/** Returns the addresses of a host name. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** A body that is made while it is sent. It cannot be sent again, so a redirect of its request is an error. */
export interface StreamedBody {
  /** Called when there is a connection, and ended early if the server does not take the whole body. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** absent: sent in chunks, because the length is not known */
  readonly sizeBytes?: number;
  /** with more, the request ends */
  readonly bytesMax: number;
}

export function isStreamed(body: Uint8Array | StreamedBody | undefined): body is StreamedBody {
  return body !== undefined && 'read' in body;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** http or https, without credentials */
  readonly url: URL;
  /** in lower case */
  readonly headers?: Readonly<Record<string, string>>;
  /** value of the header `Authorization`; no other origin gets it */
  readonly authorization?: string | undefined;
  readonly body?: Uint8Array | StreamedBody;
  /** time in which the connection may move nothing while the server is at work; absent: `LIMITS.outboundIdleMs` */
  readonly idleMs?: number;
  /** for the response to its end */
  readonly deadlineMs: number;
  /** of the response */
  readonly bytesMax: number;
  /** redirects to follow; absent: `LIMITS.outboundRedirectsMax` */
  readonly redirectsMax?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  /** the one that answered, after redirects */
  readonly url: URL;
  /** undefined: the response does not have it */
  header(name: string): string | undefined;
  /**
   * Must be read to its end, or disposed.
   *
   * @throws OutboundError `cut-off`, `timeout`, `too-large`; the reason of the signal
   */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the connection. */
  end(): void;
}

/**
 * Reads a whole response, whose bytes the request has bounded, and ends it.
 *
 * @throws as `OutboundResponse.body`
 */
export async function readWhole(response: OutboundResponse): Promise<Buffer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    response.end();
  }
}
