import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A key with which stored secrets are encrypted. It is not in the database. */
export interface SealingKey {
  /** in each sealed text, so that keys can be replaced */
  readonly id: string;
  readonly key: Uint8Array;
}

export const SEALING_KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

export function sealingKeyOf(key: Uint8Array): SealingKey {
  return { id: createHash('sha256').update('sealing key ').update(key).digest('hex').slice(0, 16), key };
}

/** A sealed text was made with a key that is missing, for another purpose, or was changed. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Encrypts secrets that the database stores. */
export class Sealer {
  readonly #keys: ReadonlyMap<string, SealingKey>;
  readonly #first: SealingKey | undefined;

  /** @param keys the first key seals; each key opens the texts that it has sealed */
  constructor(keys: readonly SealingKey[]) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#first = keys[0];
  }

  /** @param purpose what the secret is for, and which row has it; the text opens only for the same purpose */
  seal(text: string, purpose: string): string {
    if (this.#first === undefined) throw new SealError('there is no key for stored credentials');
    const { id, key } = this.#first;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(`${VERSION}.${id}.${purpose}`));
    const content = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${id}.${content.toString('base64url')}`;
  }

  /** @throws SealError */
  open(sealed: string, purpose: string): string {
    const [version, id = '', content = ''] = sealed.split('.');
    const key = this.#keys.get(id)?.key;
    if (version !== VERSION || key === undefined)
      throw new SealError('the key with which stored credentials were encrypted is missing');
    const bytes = Buffer.from(content, 'base64url');
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(`${VERSION}.${id}.${purpose}`));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return `${decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8')}${decipher.final('utf8')}`;
    } catch (error) {
      throw new SealError('stored credentials were changed, or belong to something else', { cause: error });
    }
  }
}
