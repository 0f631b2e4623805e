import type { FastifyRequest } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { bodyTooLarge } from '../../http/bodies/bodies.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';

type Source = ReadonlyMap<string, unknown>;

const WORDS_FOR_FALSE: ReadonlySet<string> = new Set(['', '0', 'false', 'False', 'FALSE']);
const LEADING_NUMBER = /^\s*([+-]?\d+)/;

/**
 * The parameters of a request, from the body or the query. The body has priority. Converts values to the requested
 * type. A value that is not text, a number or a boolean counts as absent.
 */
export class Parameters {
  readonly #sources: readonly Source[];

  constructor(sources: readonly Source[]) {
    this.#sources = sources;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    if (typeof value === 'boolean') return value ? '1' : '';
    return value === undefined ? undefined : String(value);
  }

  /**
   * Returns an integer. Returns 0 for text that does not begin with a number, and the nearest safe integer for a number
   * beyond 2^53.
   */
  integer(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' ? Number(LEADING_NUMBER.exec(value)?.[1] ?? 0) : Number(value);
    return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Math.trunc(number), Number.MAX_SAFE_INTEGER));
  }

  /** Whether the value is null, which asks for the default. */
  isNull(name: string): boolean {
    const source = this.#sources.find((one) => one.has(name));
    return source?.get(name) === null;
  }

  flag(name: string): boolean | undefined {
    const value = this.#value(name);
    return typeof value === 'string'
      ? !WORDS_FOR_FALSE.has(value)
      : value === undefined
        ? value
        : Boolean(value);
  }

  #value(name: string): string | number | boolean | undefined {
    for (const source of this.#sources) {
      const value = source.get(name);
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    }
    return undefined;
  }
}

/**
 * @throws ForgeError `malformed` if the body is not JSON, `too_large`, `unsupported_media_type`
 */
export async function readParameters(request: FastifyRequest): Promise<Parameters> {
  const body = request.body === undefined ? await readUnreadBody(request) : request.body;
  return new Parameters([sourceOf(body), sourceOf(request.query)]);
}

/** Reads members of an object or fields of a form. Of several fields with one name, the first counts. */
function sourceOf(value: unknown): Source {
  if (value instanceof URLSearchParams) return new Map([...value].reverse());
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return new Map();
  return new Map(
    Object.entries(value).map(([name, member]) => [name, Array.isArray(member) ? member[0] : member]),
  );
}

/** Reads the body of a GET. The server itself does not, because no other route has one. */
async function readUnreadBody(request: FastifyRequest): Promise<unknown> {
  const { headers, raw } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || raw.readableEnded) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.server.bodies.watched(request) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > HTTP_LIMITS.jsonBodyBytesMax) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return parseBody(headers['content-type'] ?? '', Buffer.concat(chunks).toString());
}

function parseBody(type: string, text: string): unknown {
  if (type.startsWith('application/x-www-form-urlencoded')) return parseForm(text);
  if (text === '' || !type.startsWith('application/json')) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ForgeError({ kind: 'malformed', what: 'the body is not JSON' }, { cause });
  }
}

export function parseForm(text: string): URLSearchParams {
  return new URLSearchParams(text);
}
