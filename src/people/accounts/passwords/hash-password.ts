import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import { ACCOUNT_LIMITS } from '../limits.ts';

const ALGORITHM = 'argon2id';
const PARALLELISM = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** The version of Argon2 in RFC 9106, as written in hashes. */
const VERSION = 0x13;

const derive = promisify<typeof ALGORITHM, Argon2Parameters, Buffer>(argon2);

/** The work of hashing one password. */
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryKib: 19 * 1024, passes: 2 };

export interface ParsedHash extends PasswordCost {
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Threads of Node's pool, unless UV_THREADPOOL_SIZE sets another number. */
export const THREADS_DEFAULT = 4;

/**
 * Returns how many hashes may run at once.
 *
 * @param threads of Node's pool, which hashes share with work on files
 */
export function hashesAtOnce({ cores, threads }: { cores: number; threads: number }): number {
  const { passwordHashesAtOnceMax, threadsWithoutHashesMin } = ACCOUNT_LIMITS;
  return Math.max(1, Math.min(cores, threads - threadsWithoutHashesMin, passwordHashesAtOnceMax));
}

export interface PasswordHashingOptions {
  readonly cost?: PasswordCost | undefined;
  /** 1 by default, which is enough for a command */
  readonly atOnceMax?: number | undefined;
}

/**
 * Computes and checks password hashes. Limits how many run at once, because each one occupies memory and a core. Callers
 * share this work fairly.
 */
export class PasswordHashing {
  readonly #cost: PasswordCost;
  /** Replaces the hash of an account that is missing or has no password, so that the check takes the same time. */
  readonly #decoy: ParsedHash;
  readonly #slots: FairSlots;

  constructor(options: PasswordHashingOptions = {}) {
    const { cost = PASSWORD_COST, atOnceMax = 1 } = options;
    this.#cost = cost;
    this.#slots = new FairSlots({
      what: 'sign-ins',
      unitsMax: atOnceMax,
      unitsPerCallerMax: atOnceMax,
      unitsForSignedIn: 0,
      queueMax: ACCOUNT_LIMITS.passwordHashQueueMax,
      queuePerCallerMax: ACCOUNT_LIMITS.passwordHashQueuePerCallerMax,
      queuePerLaneMax: ACCOUNT_LIMITS.passwordHashQueuePerLaneMax,
      waitMs: ACCOUNT_LIMITS.passwordHashWaitMs,
    });
    this.#decoy = {
      ...cost,
      parallelism: PARALLELISM,
      salt: randomBytes(SALT_BYTES),
      tag: randomBytes(TAG_BYTES),
    };
  }

  /**
   * Hashes a password.
   *
   * @returns the PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`
   * @throws ForgeError `busy`
   * @see https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
   */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const { memoryKib, passes } = this.#cost;
    const tag = Buffer.alloc(TAG_BYTES);
    const derived = await this.#derive(password, { memoryKib, passes, parallelism: PARALLELISM, salt, tag });
    const parameters = `m=${memoryKib},t=${passes},p=${PARALLELISM}`;
    return `$${ALGORITHM}$v=${VERSION}$${parameters}$${unpadded(salt)}$${unpadded(derived)}`;
  }

  /**
   * Checks a password. Without a hash, takes the same time and returns false.
   *
   * @throws ForgeError `busy`
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const expected = (hash === null ? undefined : parseHash(hash)) ?? this.#decoy;
    const tag = await this.#derive(password, expected);
    return timingSafeEqual(tag, expected.tag) && expected !== this.#decoy;
  }

  #derive(password: string, like: ParsedHash): Promise<Buffer> {
    return this.#slots.run(() => this.compute(password, like));
  }

  /** Computes the tag of one hash. Runs in a slot; tests override it to count and to pause. */
  protected compute(password: string, like: ParsedHash): Promise<Buffer> {
    return derive(ALGORITHM, {
      message: password,
      nonce: like.salt,
      parallelism: like.parallelism,
      tagLength: like.tag.length,
      memory: like.memoryKib,
      passes: like.passes,
    });
  }
}

const HASH =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

function parseHash(hash: string): ParsedHash | undefined {
  const match = HASH.exec(hash);
  if (match === null) return undefined;
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
