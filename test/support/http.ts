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

/** Sends one request and reads the whole response. It does not follow redirects. */
export async function request(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.as !== undefined) headers.authorization = authorizationOf(options.as);
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
