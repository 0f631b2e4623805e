import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { loadPackage } from '../base/core/native/packages.ts';
import { perShape } from './per-shape.ts';
import { shapesReferredToBy } from './shapes.ts';

type Serialize = (answer: unknown) => string;

/** Format of a text that is written as it is, because it never has characters to escape. */
export const UNESCAPED = 'unsafe';

/**
 * Returns the function that writes answers of this shape as JSON.
 *
 * Compiling one takes milliseconds, and a server has hundreds of shapes but uses few. So the compiler is loaded, and a
 * shape compiled, with the first answer of that shape. Shapes are constants: servers in the same process share them.
 */
export const serializerOf = perShape((shape: TSchema): Serialize => {
  const build = loadPackage('fast-json-stringify');
  return build(shape, { schema: shapesReferredToBy(shape), ajv: { formats: { [UNESCAPED]: true } } });
});

/** Gives Fastify the serializer of a route without compiling it. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> =
  ({ schema }) =>
  (answer) =>
    serializerOf(schema)(answer);
