import { readFileSync, statSync } from 'node:fs';
import { ForgeError } from '../../base/core/failure.ts';
import type { OpenPgpEngine } from '../../code/keys/openpgp/engine.ts';
import { UnusableKeyError } from '../../code/keys/unusable-key.ts';
import type { ServerKeys } from '../../code/signing/model.ts';
import { readFormerKey, readSigningKey } from '../../code/signing/read-keys.ts';
import { ConfigError } from '../config-error.ts';
import { APP_LIMITS } from '../limits.ts';
import type { SigningSettings } from './signing.ts';

/**
 * Reads the keys of the settings.
 *
 * @throws ConfigError, which repeats no part of a key
 */
export async function readSigningKeys(
  { keyFile, passphrase, signer, formerKeyFiles }: SigningSettings,
  openPgp: OpenPgpEngine,
): Promise<ServerKeys> {
  const key =
    keyFile === null
      ? null
      : await readFrom(keyFile, 'signing key', (text) => readSigningKey(text, { passphrase, openPgp }));
  const formerKeys = [];
  for (const file of formerKeyFiles)
    formerKeys.push(await readFrom(file, 'former signing key', (text) => readFormerKey(text, openPgp)));
  return { signer, key, formerKeys };
}

async function readFrom<Key>(
  file: string,
  what: string,
  parse: (text: string) => Promise<Key>,
): Promise<Key> {
  try {
    if (statSync(file).size > APP_LIMITS.signingKeyBytesMax) throw new UnusableKeyError('it is too large');
    return await parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`cannot use the ${what} ${file}: ${reasonOf(error)}`);
  }
}

/** @throws the error itself if it is a fault of the program */
function reasonOf(error: unknown): string {
  if (error instanceof UnusableKeyError)
    return error.needs === 'passphrase' ? `${error.why} (set QUIRE_SIGNING_PASSPHRASE)` : error.why;
  if (error instanceof ForgeError || isOfFileSystem(error)) return error.message;
  throw error;
}

function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
