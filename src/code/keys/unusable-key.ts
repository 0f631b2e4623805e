import { ForgeError } from '../../base/core/failure.ts';
import { MalformedKeyError } from './byte-reader.ts';

/** A key that cannot be used. Its message repeats no part of the key, which may be secret. */
export class UnusableKeyError extends ForgeError {
  /** for the person who supplied the key */
  readonly why: string;
  /** what the person must supply, too */
  readonly needs: 'passphrase' | undefined;

  constructor(why: string, options: { needs?: 'passphrase' | undefined; cause?: unknown } = {}) {
    super({ kind: 'invalid', what: `Invalid key content: ${why}` }, { cause: options.cause });
    this.why = why;
    this.needs = options.needs;
  }
}

/** @param passphrase that was tried; '' for none */
export function passphraseError(passphrase: string, cause?: unknown): UnusableKeyError {
  const why = passphrase === '' ? 'it has a passphrase' : 'the passphrase is wrong';
  return new UnusableKeyError(why, { needs: 'passphrase', cause });
}

/**
 * Reads a key with a function that throws MalformedKeyError.
 *
 * @throws UnusableKeyError
 */
export function readUsableKey<Key>(read: () => Key): Key {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedKeyError) throw new UnusableKeyError(error.message, { cause: error });
    throw error;
  }
}
