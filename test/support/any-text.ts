import fc from 'fast-check';

const character = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

/**
 * Any text, also with halves of surrogate pairs. `fc.string({ unit: 'binary' })` makes the same, but first a table of all
 * characters, which takes a second.
 */
export function anyText(length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...length });
}
