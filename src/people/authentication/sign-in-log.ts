import { credentialOf, type SignedIn } from '../../api/access/viewer.ts';
import { listSignIns, recordAudit, SIGN_IN_SUCCEEDED } from '../../base/audit/store.ts';
import { addressGroup } from '../../base/core/fairness/address-group.ts';
import { type CallerCredential, currentCaller, type Origin } from '../../base/core/fairness/caller.ts';
import { createCountedCache } from '../../base/core/sized-cache.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { AUTHENTICATION_LIMITS } from './limits.ts';

const { signInsRememberedMax, signInRememberedMs, failedSignInsRemembered, auditHourMs } =
  AUTHENTICATION_LIMITS;
const NO_CREDENTIAL: CallerCredential = { kind: 'none', id: null, administratorId: null };

interface Dependencies {
  readonly database: Database;
  readonly now: () => number;
}

/** A number of entries in the current hour. */
interface Hour {
  readonly beganAt: number;
  readonly count: number;
}

/**
 * Records sign-ins in the audit log: the first use of a credential in a network, and failures. A client signs in with
 * each request, so recorded sign-ins are remembered, in memory. No request waits for an entry or fails with it.
 */
export class SignInLog {
  readonly #use: Dependencies;
  /** credentials with their networks */
  readonly #used = createCountedCache<string, number>({ entriesMax: signInsRememberedMax });
  /** entries about accounts in this hour, by their ids */
  readonly #accounts = createCountedCache<number, Hour>({ entriesMax: signInsRememberedMax });
  /** failures by account and network */
  readonly #failures = createCountedCache<string, Hour>({ entriesMax: failedSignInsRemembered });
  #failed: Hour = { beganAt: Number.NEGATIVE_INFINITY, count: 0 };
  readonly #writing = new Set<Promise<void>>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Records the use of a credential in a network where it was not used in the last days. */
  accepted(viewer: SignedIn, address: string): void {
    const credential = credentialOf(viewer);
    const { accountId } = viewer;
    const key = `${accountId} ${credential.kind} ${idOf(credential)} ${addressGroup(address)}`;
    const now = this.#use.now();
    const usedAt = this.#used.get(key);
    if (usedAt !== undefined && now - usedAt < auditHourMs) return;
    this.#used.set(key, now);
    if (usedAt !== undefined && now - usedAt < signInRememberedMs) return;
    const origin = originOf(credential, address);
    this.#inBackground(async () => {
      if (await this.#isKnown(accountId, origin)) return;
      const hour = this.#next(this.#accounts.get(accountId));
      this.#accounts.set(accountId, hour);
      if (hour.count > AUTHENTICATION_LIMITS.auditedSignInsPerHourMax) return;
      await this.#write(SIGN_IN_SUCCEEDED, { accountId, actorId: accountId, origin });
    });
  }

  /** Whether the log has the use already: before a restart of the server, or from another process. */
  async #isKnown(accountId: number, { credential, address }: RequestOrigin): Promise<boolean> {
    const known = await listSignIns(
      this.#use.database.reader,
      accountId,
      currentTimeMs() - signInRememberedMs,
    );
    return known.some(
      (each) =>
        each.credential === credential.kind &&
        (credential.kind === 'session' || each.credentialId === credential.id) &&
        addressGroup(each.address ?? '') === addressGroup(address),
    );
  }

  /**
   * Records a wrong password: the first one for an account from a network in an hour, then the tenth, the hundredth and so
   * on.
   *
   * @param accountId null: there is no such account. Its name is not recorded, because users type passwords there, too.
   */
  failed(accountId: number | null, address: string): void {
    const key = `${accountId} ${addressGroup(address)}`;
    const hour = this.#next(this.#failures.get(key));
    this.#failures.set(key, hour);
    if (!Number.isInteger(Math.log10(hour.count))) return;
    this.#failed = this.#next(this.#failed);
    if (this.#failed.count > AUTHENTICATION_LIMITS.auditedFailuresPerHourMax) return;
    const origin = originOf(NO_CREDENTIAL, address);
    this.#inBackground(() =>
      this.#write('sign-in.failed', { accountId, actorId: null, origin, failures: hour.count }),
    );
  }

  /** Waits for entries that are being written. */
  async waitForWrites(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #next(hour: Hour | undefined): Hour {
    const now = this.#use.now();
    const isSame = hour !== undefined && now - hour.beganAt < auditHourMs;
    return isSame ? { ...hour, count: hour.count + 1 } : { beganAt: now, count: 1 };
  }

  async #write(
    action: string,
    about: { accountId: number | null; actorId: number | null; origin: RequestOrigin; failures?: number },
  ): Promise<void> {
    const { accountId, actorId, origin, failures } = about;
    const entry = {
      action,
      actorId,
      actorKind: actorId === null ? 'anonymous' : 'user',
      target: { kind: 'account', id: accountId, name: null },
      ownerId: accountId,
      repositoryId: null,
      details: failures === undefined ? {} : { failures },
    } as const;
    await this.#use.database.transaction((tx) => recordAudit(tx, entry, origin));
  }

  #inBackground(work: () => Promise<void>): void {
    const writing = work()
      .catch(() => {})
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}

/** All browsers of a user in one network are the same to the log: the start of each session has an entry of its own. */
function idOf({ kind, id }: CallerCredential): number | null {
  return kind === 'session' ? null : id;
}

type RequestOrigin = Extract<Origin, { readonly kind: 'request' }>;

function originOf(credential: CallerCredential, address: string): RequestOrigin {
  const current = currentCaller().origin;
  const requestId = current?.kind === 'request' ? current.requestId : '';
  return { kind: 'request', address, requestId, credential };
}
