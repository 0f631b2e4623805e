import { createHash } from 'node:crypto';
import type { ObjectFormat, ObjectType, Oid } from './model.ts';

const HEX = { sha1: /^[0-9a-f]{40}$/, sha256: /^[0-9a-f]{64}$/ } as const satisfies Record<
  ObjectFormat,
  RegExp
>;

/** Returns the all-zero id that means an absent object on git's wire. */
export function zeroOid(format: ObjectFormat): Oid {
  return '0'.repeat(hexDigits(format));
}

export function hexDigits(format: ObjectFormat): number {
  return format === 'sha1' ? 40 : 64;
}

export function isOid(format: ObjectFormat, text: string): boolean {
  return HEX[format].test(text);
}

/** Returns git's header of a stored object: type, decimal size, NUL. */
export function objectHeader(type: ObjectType, contentBytes: number): string {
  return `${type} ${contentBytes}\0`;
}

export function hashObject(format: ObjectFormat, type: ObjectType, content: Uint8Array): Oid {
  return createHash(format).update(objectHeader(type, content.length)).update(content).digest('hex');
}

/** Returns the id of the empty tree, which git reads without storing it. */
export function emptyTreeOid(format: ObjectFormat): Oid {
  return hashObject(format, 'tree', new Uint8Array());
}

export function isObjectType(text: string): text is ObjectType {
  return text === 'blob' || text === 'tree' || text === 'commit' || text === 'tag';
}
