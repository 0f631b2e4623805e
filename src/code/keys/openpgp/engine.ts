import { usedTimeOfThreads } from '../../../base/core/fairness/used-time.ts';
import { Thread } from '../../../base/core/threads/thread.ts';
import { KEY_LIMITS } from '../limits.ts';
import { UnusableKeyError } from '../unusable-key.ts';
import type {
  OpenPgpAnswer,
  OpenPgpPrivateKey,
  OpenPgpWork,
  ReadOpenPgpKey,
  SignatureClaim,
} from './model.ts';

/** Runs the OpenPGP library in a thread. */
export class OpenPgpEngine {
  readonly #thread: Thread<OpenPgpWork, OpenPgpAnswer>;

  constructor(options: { deadlineMs?: number } = {}) {
    this.#thread = new Thread({
      what: 'OpenPGP signatures and keys',
      module: new URL('./worker.ts', import.meta.url),
      deadlineMs: options.deadlineMs ?? KEY_LIMITS.openPgpMs,
      memoryMib: KEY_LIMITS.openPgpMemoryMib,
      idleMs: KEY_LIMITS.openPgpIdleMs,
      queue: {
        queueMax: KEY_LIMITS.openPgpQueueMax,
        queuePerCallerMax: KEY_LIMITS.openPgpQueuePerCallerMax,
        waitMs: KEY_LIMITS.openPgpWaitMs,
        usedTime: usedTimeOfThreads(),
      },
    });
  }

  /**
   * Reads a public key.
   *
   * @throws UnusableKeyError; ForgeError `busy`
   */
  async readKey(armored: string): Promise<ReadOpenPgpKey> {
    const answer = await this.#thread.run(
      { kind: 'read-key', armored },
      { expectedMs: KEY_LIMITS.openPgpMs },
    );
    if (answer !== undefined && 'key' in answer) return answer.key;
    throw unusable(answer);
  }

  /**
   * Reads a private key of the operator, which may sign.
   *
   * @param passphrase '' for none
   * @throws UnusableKeyError; ForgeError `busy`
   */
  async readPrivateKey(armored: string, passphrase: string): Promise<OpenPgpPrivateKey> {
    const answer = await this.#thread.run({ kind: 'read-private-key', armored, passphrase });
    if (answer !== undefined && 'privateKey' in answer) return answer.privateKey;
    throw unusable(answer);
  }

  /**
   * Whether the key made the signature over exactly these bytes, and was neither revoked nor expired then.
   *
   * @returns undefined if verifying it takes too long
   * @throws ForgeError `busy`
   */
  async isValid(claim: SignatureClaim): Promise<boolean | undefined> {
    // A view of a larger buffer would take all of it to the thread.
    const { key, signature, payload } = claim;
    const copies = { key: copyOf(key), signature: copyOf(signature), payload: copyOf(payload) };
    const answer = await this.#thread.run(
      { kind: 'verify', claim: copies },
      { expectedMs: key.length / KEY_LIMITS.openPgpKeyBytesPerMs },
    );
    if (answer === undefined) return undefined;
    return 'isValid' in answer && answer.isValid;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

/** @param answer undefined if reading the key takes too long */
function unusable(answer: OpenPgpAnswer | undefined): UnusableKeyError {
  if (answer !== undefined && 'why' in answer)
    return new UnusableKeyError(answer.why, { needs: answer.needs });
  return new UnusableKeyError('reading it takes too long');
}

function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
