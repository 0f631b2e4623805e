import { readFileSync, statSync } from 'node:fs';
import { parseSshKey } from '../../code/keys/ssh/parse-line.ts';
import { UnusableKeyError } from '../../code/keys/unusable-key.ts';
import { SSH_LIMITS } from '../../code/ssh/limits.ts';
import { ConfigError } from '../config-error.ts';

/**
 * Reads the public keys of the authorities whose certificates the server accepts: one key a line, `#` for comments.
 *
 * @returns the keys in SSH's binary form
 * @throws ConfigError
 */
export function readSshAuthorities(files: readonly string[]): readonly Buffer[] {
  return files.flatMap((file) => {
    try {
      if (statSync(file).size > SSH_LIMITS.authoritiesBytesMax) throw new UnusableKeyError('it is too large');
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'));
      return lines.map((line) => Buffer.from(parseSshKey(line).content, 'base64'));
    } catch (error) {
      const reason = error instanceof UnusableKeyError ? error.why : (error as Error).message;
      throw new ConfigError(`cannot use the SSH authorities in ${file}: ${reason}`);
    }
  });
}
