import type { ObjectType } from '../model.ts';

/** An object whose bytes are not what its type says: it was stored by a program that did not look. */
export class MalformedObjectError extends Error {
  constructor(type: ObjectType, how: string) {
    super(`malformed ${type}: ${how}`);
    this.name = 'MalformedObjectError';
  }
}
