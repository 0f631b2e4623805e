/** A reason that the person who supplied a key may see. */
export class UnusableKeyError extends Error {
  override readonly name = 'UnusableKeyError';
}
