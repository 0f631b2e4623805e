/** The part of `node:ffi` that this module uses. Node has it from 26 on, as an experiment. */
interface Ffi {
  dlopen(
    library: string,
    functions: { malloc_trim: { arguments: readonly ['u64']; return: 'i32' } },
  ): { functions: { malloc_trim(keptBytes: bigint): number } };
}

let trim: (() => void) | undefined;

/**
 * Returns memory that the C library keeps between used pieces to the system. Does nothing if the library is not glibc or if
 * Node cannot call it.
 *
 * @see malloc_trim(3)
 */
export function returnFreedMemory(): void {
  trim ??= findTrim();
  trim();
}

function findTrim(): () => void {
  const nothing = () => {};
  if (process.platform !== 'linux') return nothing;
  const warn = process.emitWarning;
  try {
    // Operators cannot act on Node's warning about an experiment, and the function has had this form since 1995.
    process.emitWarning = nothing;
    const ffi = process.getBuiltinModule('node:ffi') as Ffi | undefined;
    const libc = ffi?.dlopen('libc.so.6', { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    return libc === undefined ? nothing : () => void libc.functions.malloc_trim(0n);
  } catch {
    return nothing;
  } finally {
    process.emitWarning = warn;
  }
}
