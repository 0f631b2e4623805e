import { Agent, type IncomingMessage, request as startRequest } from 'node:http';

export type Credentials = { readonly token: string } | { readonly name: string; readonly password: string };

export interface SendOptions {
  /** the request is anonymous by default */
  readonly as?: Credentials;
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** the parsed body; undefined if it is not JSON */
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  readonly body: any;
}

export function authorizationOf(as: Credentials): string {
  if ('token' in as) return `token ${as.token}`;
  return `Basic ${Buffer.from(`${as.name}:${as.password}`).toString('base64')}`;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends one request and reads the whole response. It does not follow redirects. It does not use `fetch`, which takes half
 * a millisecond more CPU for each of the suite's many requests.
 */
export async function request(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const sent = startRequest(url, { method, agent, headers: headersOf(method, options, body) });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  sent.once('error', reject);
  sent.once('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('error', reject);
    response.once('end', () => resolve(new ReceivedAnswer(response, Buffer.concat(chunks))));
  });
  sent.end(body);
  return promise;
}

/** Most tests read a part of an answer, so each part is computed when a test reads it. */
class ReceivedAnswer implements Answer {
  readonly status: number;
  readonly #response: IncomingMessage;
  readonly #bytes: Buffer;
  #headers: Headers | undefined;
  #text: string | undefined;
  #body: { readonly value: unknown } | undefined;

  constructor(response: IncomingMessage, bytes: Buffer) {
    this.status = response.statusCode ?? 0;
    this.#response = response;
    this.#bytes = bytes;
  }

  get headers(): Headers {
    this.#headers ??= receivedHeaders(this.#response);
    return this.#headers;
  }

  get text(): string {
    this.#text ??= new TextDecoder().decode(this.#bytes);
    return this.#text;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  get body(): any {
    this.#body ??= { value: parsed(this.text) };
    return this.#body.value;
  }
}

/** The headers that `fetch` would send, without its own name. */
function headersOf(method: string, options: SendOptions, body: SendOptions['body']): Record<string, string> {
  const headers: Record<string, string> = { accept: '*/*' };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  if (options.as !== undefined) headers.authorization = authorizationOf(options.as);
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  else if (typeof body === 'string') headers['content-type'] ??= 'text/plain;charset=UTF-8';
  if (body !== undefined) headers['content-length'] ??= String(Buffer.byteLength(body));
  else if (/^P/.test(method)) headers['content-length'] ??= '0';
  return headers;
}

function receivedHeaders(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
