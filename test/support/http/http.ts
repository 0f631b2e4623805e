import { Agent, type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';

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

/** Sends one request and reads the whole response. It does not follow redirects. */
export async function request(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
  const body = (options.json === undefined ? options.body : JSON.stringify(options.json)) ?? '';
  const headers = headersOf(options);
  const length = Buffer.byteLength(body);
  if (length > 0 || /^P/.test(method)) headers['content-length'] ??= String(length);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  send(url, { agent, method, headers }, resolve).on('error', reject).end(body);
  const response = await promise;
  return new ReceivedAnswer(response, await buffer(response));
}

/** Most tests read a part of an answer, so each part is computed when a test reads it. */
class ReceivedAnswer implements Answer {
  readonly status: number;
  readonly #response: IncomingMessage;
  readonly #bytes: Buffer;
  #text: string | undefined;
  #body: { readonly value: unknown } | undefined;

  constructor(response: IncomingMessage, bytes: Buffer) {
    this.status = response.statusCode ?? 0;
    this.#response = response;
    this.#bytes = bytes;
  }

  get headers(): Headers {
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(this.#response.headersDistinct))
      for (const value of values) headers.append(name, value);
    return headers;
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
function headersOf(options: SendOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: '*/*' };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  if (options.as !== undefined) headers.authorization = authorizationOf(options.as);
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  else if (typeof options.body === 'string') headers['content-type'] ??= 'text/plain;charset=UTF-8';
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
