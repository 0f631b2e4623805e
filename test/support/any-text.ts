import fc from 'fast-check';

const LAST = 0x10ffff;
const HALVES_AT = 0xd800;
const HALVES = 0x800;

/** All but the halves of surrogate pairs. */
const character = fc
  .integer({ min: 0, max: LAST - HALVES })
  .map((number) => String.fromCodePoint(number < HALVES_AT ? number : number + HALVES));

/**
 * Any text that is well-formed. `fc.string({ unit: 'binary' })` makes the same, but first a table of all characters,
 * which takes a second.
 */
export function anyText(length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...length });
}
