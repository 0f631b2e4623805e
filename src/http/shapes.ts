import { type Static, type TSchema, Type } from 'typebox';

type Named = TSchema & { readonly $id: string };

const shapesByName = new Map<string, Named>();

/**
 * Refers to a named shape from answers and other shapes, so that the API document describes it once.
 *
 * @throws Error if the shape has no `$id`, or if another shape has the same one
 */
export function reference<Shape extends TSchema>(shape: Shape) {
  const name = (shape as Partial<Named>).$id;
  if (name === undefined) throw new Error('only a shape with a name can be referred to');
  const known = shapesByName.get(name) ?? shape;
  if (known !== shape) throw new Error(`two shapes have the name ${name}`);
  shapesByName.set(name, shape as Shape & Named);
  return Type.Unsafe<Static<Shape>>({ $ref: `${name}#` });
}

/** Every shape that another shape or a route refers to, by name: the order in which files are loaded has no meaning. */
export function namedShapes(): Iterable<Named> {
  return [...shapesByName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, shape]) => shape);
}

/** The shapes that `shape` refers to, directly or through other shapes, by name. */
export function shapesReferredToBy(shape: TSchema): Record<string, Named> {
  const found: Record<string, Named> = {};
  const pending: unknown[] = [shape];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== 'object' || part === null) continue;
    const named = '$ref' in part ? shapesByName.get(String(part.$ref).slice(0, -1)) : undefined;
    if (named !== undefined && found[named.$id] === undefined) {
      found[named.$id] = named;
      pending.push(named);
    }
    pending.push(...Object.values(part));
  }
  return found;
}

/** An answer without a body. */
export function noBody(description: string) {
  return Type.Unsafe<unknown>({ type: 'null', description });
}

const BINARY = { type: 'string', format: 'binary' };

/** Of a download, which may be in parts. */
export const FILE_RESPONSES = {
  200: Type.Unsafe<unknown>({ ...BINARY, description: 'Success' }),
  206: Type.Unsafe<unknown>({ ...BINARY, description: 'The requested range' }),
  416: noBody('The requested range begins after the end'),
};

/** Of a read that compares `If-None-Match`. */
export const NOT_MODIFIED = { 304: noBody('It has not changed since the version in If-None-Match') };

/** The answer of a route that has nothing to return. */
export const WITHOUT_BODY = noBody('Success, without a body');
export const NO_CONTENT = { 204: WITHOUT_BODY };

/** A value of a record that may be missing. */
export function Nullable<Shape extends TSchema>(shape: Shape) {
  return Type.Union([shape, Type.Null()]);
}
