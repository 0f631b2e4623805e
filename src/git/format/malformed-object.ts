import type { ObjectType } from './model.ts';

/** The object's content does not match its type. A program stored it without checking. */
export class MalformedObjectError extends Error {
  constructor(type: ObjectType, how: string) {
    super(`malformed ${type}: ${how}`);
    this.name = 'MalformedObjectError';
  }
}
