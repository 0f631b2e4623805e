import { findInLibc } from './libc.ts';

let trim: (() => void) | undefined;

/**
 * Returns free memory between used pieces, which the C library retains, to the system. Does nothing if this process
 * cannot call the library.
 *
 * @see malloc_trim(3)
 */
export function returnFreedMemory(): void {
  trim ??= findTrim();
  trim();
}

function findTrim(): () => void {
  const libc = findInLibc({ malloc_trim: { arguments: ['u64'], return: 'i32' } });
  return libc === undefined ? () => {} : () => void libc.functions.malloc_trim(0n);
}
