import { generateKeyPair, generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';
import { SealError, type Sealer } from '../../../base/core/sealing.ts';
import type { Database } from '../../../base/database/database.ts';
import { encodeEd25519 } from './private-key-file.ts';
import { insertHostKey, listHostKeys } from './store.ts';

/** Types of the keys of the server, best first. Clients that cannot verify the first use the second. */
const TYPES = ['ed25519', 'rsa'] as const;
const RSA_BITS = 3072;

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
}

/**
 * Returns the private keys of the server, which the first start makes. They are in the database, encrypted as stored
 * credentials are, so that all processes of one database are the same server to their clients.
 *
 * @throws SealError if the keys were encrypted with a key that is missing
 */
export async function openHostKeys({ database, sealer }: Dependencies): Promise<readonly string[]> {
  const known = await listHostKeys(database.reader);
  const missing = TYPES.filter((type) => !known.has(type));
  for (const type of missing) {
    const sealed = sealer.seal(await generate(type), purposeOf(type));
    await database.transaction((tx) => insertHostKey(tx, type, sealed));
  }
  const stored = missing.length === 0 ? known : await listHostKeys(database.reader);
  return TYPES.map((type) => {
    try {
      return sealer.open(stored.get(type) ?? '', purposeOf(type));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw new SealError(
        'the host keys of SSH were encrypted with another key: restore the credential keys, or delete the rows of ssh_host_keys',
        { cause: error },
      );
    }
  });
}

function purposeOf(type: string): string {
  return `ssh host key ${type}`;
}

const generateInThread = promisify(generateKeyPair);

/** Returns a private key in a form that the library reads. */
async function generate(type: (typeof TYPES)[number]): Promise<string> {
  // The generator of the library makes a malformed key now and then.
  if (type === 'ed25519') return encodeEd25519(generateKeyPairSync('ed25519').privateKey);
  const { privateKey } = await generateInThread('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return privateKey;
}
