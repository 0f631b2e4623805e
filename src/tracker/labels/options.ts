import type { Static } from 'typebox';
import type { LabelFields, LabelOrder } from './model.ts';
import type { CreateLabelBody, EditLabelBody } from './schema.ts';

const ORDERS: ReadonlyMap<string | undefined, LabelOrder> = new Map([
  ['mostissues', 'most-issues'],
  ['leastissues', 'least-issues'],
  ['reversealphabetically', 'name-reversed'],
]);

/** Reads the order of a list. An unknown one counts as none, as in the reference. */
export function labelOrderOf(sort: string | undefined): LabelOrder {
  return ORDERS.get(sort) ?? 'name';
}

export function newLabelOf(body: Static<typeof CreateLabelBody>): LabelFields {
  return {
    name: body.name,
    color: body.color,
    description: body.description ?? '',
    isExclusive: body.exclusive ?? false,
    isArchived: body.is_archived ?? false,
  };
}

/** Returns the fields that a request changes. */
export function labelEditOf(body: Static<typeof EditLabelBody>): Partial<LabelFields> {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.color === undefined ? {} : { color: body.color }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.exclusive === undefined ? {} : { isExclusive: body.exclusive }),
    ...(body.is_archived === undefined ? {} : { isArchived: body.is_archived }),
  };
}
