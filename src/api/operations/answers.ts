import { type Static, type TSchema, Type } from 'typebox';
import type { Addresses } from '../../http/app.ts';
import { perShape } from '../../http/per-shape.ts';
import { reference } from '../../http/shapes.ts';
import type { Viewer } from '../access/viewer.ts';

type Present<Model, Wire> = (model: Model, viewer: Viewer, addresses: Addresses) => Wire;

/** How a model appears on the wire: the shape of its record, and the function that makes the record. */
export interface Answer<Model> {
  readonly shape: TSchema;
  readonly present: Present<Model, unknown>;
}

/** Combines a shape with its presenter. The API document describes a shape that has a name once. */
export function answerOf<Shape extends TSchema, Model>(
  shape: Shape,
  present: Present<Model, Static<Shape>>,
): Answer<Model> {
  return { shape: '$id' in shape ? reference(shape) : shape, present };
}

/** An answer that a service returns in the form of the wire. */
export function asIs<Shape extends TSchema>(shape: Shape): Answer<Static<Shape>> {
  return answerOf(shape, (record: Static<Shape>) => record);
}

const listShapeOf = perShape((shape: TSchema) => Type.Array(shape));

/** An answer that is a list of other answers. */
export function listOf<Model>({ shape, present }: Answer<Model>): Answer<readonly Model[]> {
  return {
    shape: listShapeOf(shape),
    present: (models, viewer, addresses) => models.map((model) => present(model, viewer, addresses)),
  };
}
