import { findInLibc } from './libc.ts';

let trim: (() => void) | undefined;

/**
 * Returns memory that the C library keeps between used pieces to the system. Does nothing if this process cannot call the
 * library.
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
