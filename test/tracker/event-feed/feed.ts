import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import type { Answer } from '../../support/http/http.ts';

export const EVENTS = '/api/v1/events';

/** An event on the wire. */
export interface WireEvent {
  readonly id: string;
  readonly kind: string;
  readonly actor: { readonly kind: string; readonly id: number | null; readonly login: string | null };
  readonly owner: { readonly id: number; readonly login: string } | null;
  readonly repository: { readonly id: number; readonly full_name: string | null } | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  readonly data: Readonly<Record<string, any>>;
  readonly former: Readonly<Record<string, unknown>> | null;
}

interface Reader {
  get(path: string): Promise<Answer>;
}

interface Part {
  readonly events: readonly WireEvent[];
  readonly cursor: string;
}

/** Reads the feed at a path from a cursor to its end. */
export async function readAll(
  reader: Reader,
  path = EVENTS,
  options: { cursor?: string; limit?: number } = {},
) {
  const events: WireEvent[] = [];
  let { cursor } = options;
  for (;;) {
    const { status, body, text } = await reader.get(`${path}?${queryOf({ ...options, cursor })}`);
    assert.equal(status, 200, text);
    events.push(...body.events);
    cursor = body.cursor;
    if (!body.has_more) return { events, cursor } as Part;
  }
}

export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) given.set(name, String(value));
  return given.toString();
}

/** What a test compares of events: their kinds with the repository. */
export function kindsOf(events: readonly WireEvent[]): string[] {
  return events.map(({ kind, repository }) =>
    repository === null ? kind : `${kind} ${repository.full_name}`,
  );
}

/** A stream of server-sent events. */
export class EventStream {
  readonly #request: ClientRequest;
  #text = '';
  #ended = false;
  readonly status: Promise<number>;
  #changed = Promise.withResolvers<void>();

  constructor(url: string, options: { token?: string; lastEventId?: string }) {
    const { token, lastEventId } = options;
    const headers = {
      accept: 'text/event-stream',
      ...(token === undefined ? {} : { authorization: `token ${token}` }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.status = promise;
    promise.catch(() => {});
    this.#request = request(url, { headers, agent: false }, (response) => {
      resolve(response.statusCode ?? 0);
      response.setEncoding('utf8').on('data', (text) => {
        this.#text += text;
        this.#notify();
      });
      response.on('error', () => {});
      response.on('close', () => {
        this.#ended = true;
        this.#notify();
      });
    });
    this.#request.on('error', (error) => {
      reject(error);
      this.#ended = true;
      this.#notify();
    });
    this.#request.end();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  get text(): string {
    return this.#text;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  events(): readonly WireEvent[] {
    return [...this.#text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
  }

  /** The id that a client sends when it connects again. */
  lastId(): string | undefined {
    return [...this.#text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
  }

  /** Waits until the stream is as expected. */
  async until(isExpected: (stream: EventStream) => boolean): Promise<void> {
    while (!isExpected(this)) {
      if (this.#ended) throw new Error(`the stream has ended: ${this.#text}`);
      await this.#changed.promise;
    }
  }

  async ended(): Promise<void> {
    while (!this.#ended) await this.#changed.promise;
  }

  close(): void {
    this.#request.destroy();
  }
}
