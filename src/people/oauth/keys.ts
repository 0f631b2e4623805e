import { createPrivateKey, generateKeyPair, hash, type KeyObject, sign as signBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { SealError, type Sealer } from '../../base/core/sealing.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { insertKey, type KeyRow, listKeys } from './store/keys.ts';

/** Every client of OpenID Connect verifies this one. */
export const ID_TOKEN_ALGORITHM = 'RS256';

/** The public part of a key, as clients read it: RFC 7517. */
export interface PublicKey {
  readonly kty: string;
  readonly use: 'sig';
  readonly alg: typeof ID_TOKEN_ALGORITHM;
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
}

const makeKeyPair = promisify(generateKeyPair);
const signAsync = promisify(signBytes);

/** Keys that sign id tokens. They are rows, so that all processes sign with the same one. */
export class OAuthKeys {
  readonly #use: Dependencies;
  /** by `kid` */
  readonly #opened = new Map<string, KeyObject>();
  #making: Promise<SigningKey> | undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists the public parts of all keys whose tokens may be valid. There is always one. */
  async list(): Promise<readonly PublicKey[]> {
    await this.#current();
    const rows = await listKeys(this.#use.database.reader, currentTimeMs());
    return rows.map((row) => JSON.parse(row.public_jwk));
  }

  /**
   * Returns a JSON Web Token.
   *
   * @see RFC 7515, section 3.1
   */
  async sign(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const { kid, key } = await this.#current();
    const header = { typ: 'JWT', alg: ID_TOKEN_ALGORITHM, kid };
    const content = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = await signAsync('sha256', Buffer.from(content), key);
    return `${content}.${signature.toString('base64url')}`;
  }

  /** Returns the key that signs now. A key that is old, or that this server cannot open, is replaced. */
  async #current(): Promise<SigningKey> {
    const now = currentTimeMs();
    const [newest] = await listKeys(this.#use.database.reader, now);
    const isUsable = newest?.ends_at === null && now - newest.created_at < OAUTH_LIMITS.keyMs;
    const opened = isUsable ? this.#open(newest) : undefined;
    if (opened !== undefined) return opened;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  #open({ kid, sealed }: KeyRow): SigningKey | undefined {
    const known = this.#opened.get(kid);
    if (known !== undefined) return { kid, key: known };
    try {
      const key = createPrivateKey(this.#use.sealer.open(sealed, purposeOf(kid)));
      this.#remember(kid, key);
      return { kid, key };
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }

  async #make(): Promise<SigningKey> {
    const { publicKey, privateKey } = await makeKeyPair('rsa', { modulusLength: OAUTH_LIMITS.keyBits });
    const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
    const kid = thumbprintOf({ n, e });
    const jwk: PublicKey = { kty: 'RSA', use: 'sig', alg: ID_TOKEN_ALGORITHM, kid, n, e };
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const sealed = this.#use.sealer.seal(pem, purposeOf(kid));
    const now = currentTimeMs();
    const endsAt = now + OAUTH_LIMITS.idTokenMs + OAUTH_LIMITS.clockSkewMs;
    await this.#use.database.transaction((tx) =>
      insertKey(tx, { kid, public_jwk: JSON.stringify(jwk), sealed }, { now, endsAt }),
    );
    this.#remember(kid, privateKey);
    return { kid, key: privateKey };
  }

  /** Only the newest key signs. */
  #remember(kid: string, key: KeyObject): void {
    this.#opened.clear();
    this.#opened.set(kid, key);
  }
}

function purposeOf(kid: string): string {
  return `id tokens ${kid}`;
}

/** @see RFC 7638, section 3 */
function thumbprintOf({ n, e }: { readonly n: string; readonly e: string }): string {
  return hash('sha256', JSON.stringify({ e, kty: 'RSA', n }), 'base64url');
}
