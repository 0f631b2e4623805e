import { encodeRequest, type HttpAnswer, HttpConnection } from './http-connection.ts';

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

/** Connections that wait for their next request, by host and port. */
const idle = new Map<string, HttpConnection[]>();

/** Sends one request and reads the whole response. It does not follow redirects. */
export async function request(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
  const { protocol, host, hostname, port, pathname, search } = new URL(url);
  if (protocol !== 'http:') throw new Error(`${url} is not an http address`);
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const headers = headersOf(options, body);
  const encoded = encodeRequest(host, { method, path: `${pathname}${search}`, headers, body: body ?? '' });
  const connection = takeIdle(host) ?? (await openConnection(hostname, port));
  const answer = await connection.send(encoded);
  if (connection.isOpen) keepIdle(host, connection);
  return new ReceivedAnswer(answer);
}

function takeIdle(host: string): HttpConnection | undefined {
  const connections = idle.get(host) ?? [];
  for (let last = connections.pop(); last !== undefined; last = connections.pop())
    if (last.isOpen) return last;
  return undefined;
}

function keepIdle(host: string, connection: HttpConnection): void {
  const connections = idle.get(host);
  if (connections === undefined) idle.set(host, [connection]);
  else connections.push(connection);
}

function openConnection(hostname: string, port: string): Promise<HttpConnection> {
  dropClosed();
  const isIpv6 = hostname.startsWith('[');
  return HttpConnection.open(isIpv6 ? hostname.slice(1, -1) : hostname, Number(port || 80));
}

/** Drops the connections to servers that have stopped. */
function dropClosed(): void {
  for (const [host, connections] of idle) {
    const open = connections.filter(({ isOpen }) => isOpen);
    if (open.length > 0) idle.set(host, open);
    else idle.delete(host);
  }
}

/** Closes the connections to a server that wait for their next request. */
export function closeIdleTo(url: string): void {
  const { host } = new URL(url);
  for (const connection of idle.get(host) ?? []) connection.close();
  idle.delete(host);
}

/** Most tests read a part of an answer, so each part is computed when a test reads it. */
class ReceivedAnswer implements Answer {
  readonly status: number;
  readonly #received: HttpAnswer;
  #headers: Headers | undefined;
  #text: string | undefined;
  #body: { readonly value: unknown } | undefined;

  constructor(received: HttpAnswer) {
    this.status = received.status;
    this.#received = received;
  }

  get headers(): Headers {
    this.#headers ??= receivedHeaders(this.#received.head);
    return this.#headers;
  }

  get text(): string {
    this.#text ??= new TextDecoder().decode(this.#received.body);
    return this.#text;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  get body(): any {
    this.#body ??= { value: parsed(this.text) };
    return this.#body.value;
  }
}

/** The headers that `fetch` would send, without its own name. */
function headersOf(options: SendOptions, body: SendOptions['body']): Record<string, string> {
  const headers: Record<string, string> = { accept: '*/*' };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  if (options.as !== undefined) headers.authorization = authorizationOf(options.as);
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  else if (typeof body === 'string') headers['content-type'] ??= 'text/plain;charset=UTF-8';
  return headers;
}

function receivedHeaders(head: string): Headers {
  const headers = new Headers();
  const [, ...lines] = head.split('\r\n');
  for (const line of lines) {
    const colonAt = line.indexOf(':');
    headers.append(line.slice(0, colonAt), line.slice(colonAt + 1));
  }
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
