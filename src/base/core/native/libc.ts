type Argument = 'buffer' | 'string' | 'i16' | 'i32' | 'u64';

/** A function of the C library: the types of its parameters and of the number that it returns. */
export interface Signature {
  readonly arguments: readonly Argument[];
  readonly return: 'i32';
}

type ValueOf<A extends Argument> = A extends 'buffer'
  ? ArrayBufferView
  : A extends 'string'
    ? string
    : A extends 'u64'
      ? bigint
      : number;

type ValuesOf<List extends readonly Argument[]> = {
  -readonly [I in keyof List]: ValueOf<List[I]>;
};

type FunctionOf<S extends Signature> = (...values: ValuesOf<S['arguments']>) => number;

/** The part of `node:ffi` that Quire uses. Node has it from 26 on, as an experiment. */
interface Ffi {
  dlopen(library: string, signatures: Readonly<Record<string, Signature>>): { functions: object };
  getRawPointer(memory: ArrayBuffer): bigint;
}

/** Functions of the C library. A call with wrong values can end the process, so each caller checks its arguments. */
export interface Libc<Signatures> {
  readonly functions: {
    readonly [Name in keyof Signatures]: Signatures[Name] extends Signature
      ? FunctionOf<Signatures[Name]>
      : never;
  };
  /** Returns the address of memory, which stays valid as long as this process holds the memory. */
  addressOf(memory: ArrayBuffer): bigint;
}

/**
 * Finds functions of the C library.
 *
 * @returns undefined if the library is not glibc, if it lacks one of the functions, or if Node cannot call it, as before
 * version 26 and with `--no-experimental-ffi`
 */
export function findInLibc<const Signatures extends Readonly<Record<string, Signature>>>(
  signatures: Signatures,
): Libc<Signatures> | undefined {
  if (process.platform !== 'linux') return undefined;
  const warn = process.emitWarning;
  try {
    // Suppresses Node's warning about an experiment, because operators cannot act on it.
    process.emitWarning = () => {};
    const ffi = process.getBuiltinModule('node:ffi') as Ffi | undefined;
    if (ffi === undefined) return undefined;
    const { functions } = ffi.dlopen('libc.so.6', signatures);
    return {
      functions: functions as Libc<Signatures>['functions'],
      addressOf: (memory) => ffi.getRawPointer(memory),
    };
  } catch {
    return undefined;
  } finally {
    process.emitWarning = warn;
  }
}
