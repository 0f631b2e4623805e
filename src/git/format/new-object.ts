import type { GitObject, ObjectFormat, ObjectType } from './model.ts';
import { hashObject } from './object-format.ts';

/** Makes an object to write, with the id of its content. */
export function newObject(format: ObjectFormat, type: ObjectType, content: Uint8Array): GitObject {
  return { oid: hashObject(format, type, content), type, content };
}
