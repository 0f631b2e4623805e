import type { GitObject, ObjectFormat, ObjectType } from '../model.ts';
import { hashObject } from './object-format.ts';

/** An object to be written, with the id that its content gives it. */
export function newObject(format: ObjectFormat, type: ObjectType, content: Uint8Array): GitObject {
  return { oid: hashObject(format, type, content), type, content };
}
