import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { ForgeError, malformed } from '../../base/core/failure.ts';
import { loadPackage } from '../../base/core/native/packages.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { isNestedDeeper } from '../../base/core/text/nesting.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { perShape } from '../per-shape.ts';
import { bodyTooDeep } from './bodies.ts';
import { describeProblems } from './body-problems.ts';

type Shape = { readonly type?: string; readonly properties?: Readonly<Record<string, Shape>> };
type Texts = Readonly<Record<string, string | string[] | undefined>>;

const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True', 'on']);
const INTEGER_PATTERN = /^[+-]?[0-9]{1,19}$/;

/**
 * Parses the parts of a request by the schema of its route. Bodies are JSON with strict types. Queries are parsed
 * leniently. An id in a path that is not a number matches nothing.
 */
export const inputCompiler: FastifySchemaCompiler<FastifySchema & TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return (value: unknown) => bodyReaderOf(schema)(value);
  const shape = schema as Shape;
  if (httpPart === 'params') return (value: Texts) => answer(() => readParams(shape, value));
  return (value: Texts) => ({ value: readQuery(shape, value) });
};

function answer(read: () => unknown): { value: unknown } | { error: Error } {
  try {
    return { value: read() };
  } catch (error) {
    return { error: error as Error };
  }
}

const shapesWithNulls = new WeakSet<TSchema>();

/** Marks a body in which a null means something else than an absent member. */
export function withNulls<Shape extends TSchema>(shape: Shape): Shape {
  shapesWithNulls.add(shape);
  return shape;
}

/** Returns the function that checks bodies of this shape. Loads the compiler with the first body. */
export const bodyReaderOf = perShape((schema: TSchema) => {
  const { Compile } = loadPackage('typebox/compile');
  const check = Compile(schema);
  const hasNulls = shapesWithNulls.has(schema);
  return (value: unknown): { value: unknown } | { error: Error } => {
    // A null counts as not sent, in nearly every body. A missing body also arrives as null.
    const sent = value ?? {};
    if (isNestedDeeper(sent, HTTP_LIMITS.jsonBodyDepthMax)) return { error: bodyTooDeep() };
    const body = hasNulls ? sent : withoutNulls(sent);
    if (check.Check(body)) return { value: body };
    return { error: malformed(describeProblems(schema, check.Errors(body))) };
  };
});

/** @param value no deeper than `jsonBodyDepthMax` */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}

function readQuery(shape: Shape, query: Texts): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(shape.properties ?? {})) {
    const sent = query[name];
    if (property.type === 'array') {
      if (sent !== undefined) read[name] = [sent].flat();
      continue;
    }
    const text = Array.isArray(sent) ? sent[0] : sent;
    const value = text === undefined ? undefined : readText(property, text);
    if (value !== undefined) read[name] = value;
  }
  return read;
}

/** An invalid integer and an empty boolean count as missing. A word that does not mean true is false. */
function readText(property: Shape, text: string): string | number | boolean | undefined {
  if (property.type === 'boolean') return text === '' ? undefined : TRUE_WORDS.has(text);
  if (property.type === 'integer') return readInteger(text);
  return text;
}

/** Parses a 64-bit integer, and clamps it to JavaScript's safe integer range. */
function readInteger(text: string): number | undefined {
  if (!INTEGER_PATTERN.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  if (BigInt.asIntN(64, value) !== value) return undefined;
  return Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

function readParams(shape: Shape, params: Texts): Record<string, unknown> {
  const read: Record<string, unknown> = { ...params };
  for (const [name, property] of Object.entries(shape.properties ?? {})) {
    if (property.type === 'integer') read[name] = requireId(String(params[name]));
  }
  return read;
}

function requireId(text: string): number {
  const id = parseId(text);
  if (id === undefined) throw new ForgeError({ kind: 'not_found', what: 'id' });
  return id;
}
