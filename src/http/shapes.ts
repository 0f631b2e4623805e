import { type Static, type TSchema, Type } from 'typebox';
import type { App } from './app.ts';

type Named = TSchema & { readonly $id?: string };

/** Stands for a shape that has a name, in answers and inside of other shapes: it is described once. */
export function reference<Shape extends Named>(shape: Shape) {
  if (shape.$id === undefined) throw new Error('only a shape with a name can be referred to');
  return Type.Unsafe<Static<Shape>>({ $ref: `${shape.$id}#` });
}

/** Makes named shapes known, so that routes registered after this can refer to them. */
export function shareShapes(app: App, shapes: readonly Named[]): void {
  for (const shape of shapes) {
    if (shape.$id !== undefined && app.getSchema(shape.$id) === undefined) app.addSchema(shape);
  }
}

/** An answer without a body. */
export function noBody(description: string) {
  return Type.Unsafe<unknown>({ type: 'null', description });
}

/** What a route answers that has nothing to say. */
export const NO_CONTENT = { 204: noBody('Done, or so it is: there is nothing more to tell') };
