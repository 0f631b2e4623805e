import { type SignedIn, SYSTEM } from '../../api/access/viewer.ts';
import { conflict, ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import type { Sealer } from '../../base/core/sealing.ts';
import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { EventKind } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Addresses } from '../../http/app.ts';
import { SITE } from '../accounts/actions.ts';
import { type Actor, actorId, requireAdministration } from '../accounts/actor.ts';
import { lockUser } from '../accounts/locks.ts';
import type { Accounts } from '../accounts/service.ts';
import {
  hasFactor,
  type LostSignal,
  lockForRemoval,
  makeRecoveryCodes,
  recordAdded,
  recordRemoved,
} from './changes.ts';
import {
  CODES_REMOVED,
  CODES_SET_UP,
  PASSKEY_REMOVED,
  RECOVERY_CODE_USED,
  RECOVERY_CODES_RENEWED,
  SECOND_FACTORS_RESET,
} from './events.ts';
import { SECOND_FACTOR_LIMITS } from './limits.ts';
import type { CodeSetup, SecondFactorState, UsedCode } from './model.ts';
import { codeSetupOf, generateCodeSecret, looksLikeOneTimeCode, stepOf } from './one-time-codes.ts';
import { looksLikeRecoveryCode, recoveryDigestOf } from './recovery-codes.ts';
import {
  confirmCodes,
  countRecoveryCodes,
  countTried,
  deleteCodes,
  deleteCodesSince,
  deleteRecoveryCodes,
  findCodes,
  findState,
  replacePendingCodes,
  useRecoveryCode,
  useStep,
} from './store/codes.ts';
import { deletePasskeysOf, deletePasskeysSince } from './store/passkeys.ts';

interface Dependencies {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** What accounts need to sign in, besides their password: one-time codes, and recovery codes for a lost phone. */
export class SecondFactors {
  /** after an account has lost its last second factor */
  readonly lost: LostSignal = new Signal();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  state(accountId: number): Promise<SecondFactorState> {
    return findState(this.#use.database.reader, accountId);
  }

  /**
   * Makes a secret for one-time codes, which have no effect until `confirmCodes`. An earlier secret that was not confirmed
   * ends.
   *
   * @throws ForgeError `conflict` if the account has one-time codes
   */
  async beginCodes(viewer: SignedIn): Promise<CodeSetup> {
    const { accountId } = viewer;
    const secret = generateCodeSecret();
    const sealedSecret = this.#use.sealer.seal(secret, purposeOf(accountId));
    await this.#use.database.transaction(async (tx) => {
      await lockUser(tx, accountId);
      if ((await findCodes(tx, accountId))?.isConfirmed === true) throw alreadySetUp();
      await replacePendingCodes(tx, accountId, { sealedSecret, createdAt: currentTimeMs() });
    });
    return this.#setupOf(viewer, secret);
  }

  /** Returns the one-time codes that the viewer has begun to set up; undefined if there are none. */
  async pendingCodes(viewer: SignedIn): Promise<CodeSetup | undefined> {
    const codes = await findCodes(this.#use.database.reader, viewer.accountId);
    if (codes === undefined || codes.isConfirmed) return undefined;
    return this.#setupOf(viewer, this.#open(viewer.accountId, codes.sealedSecret));
  }

  /**
   * Makes the account need a code to sign in, once its user has sent a first one.
   *
   * @returns recovery codes, which are shown once; none if the account has some already
   * @throws ForgeError `invalid` for a wrong code; `conflict` if nothing was begun, or everything is set up already
   */
  async confirmCodes({ accountId }: SignedIn, code: string): Promise<readonly string[]> {
    return this.#use.database.transaction(async (tx) => {
      await lockUser(tx, accountId);
      const codes = await findCodes(tx, accountId);
      if (codes === undefined) throw conflict('begin again: there is nothing to confirm');
      if (codes.isConfirmed) throw alreadySetUp();
      const now = currentTimeMs();
      const step = stepOf(withoutSpaces(code), this.#open(accountId, codes.sealedSecret), now);
      if (step === undefined)
        throw invalid('the code is wrong: check the time of your phone, and send a new code');
      await confirmCodes(tx, accountId, { step, at: now });
      const recoveryCodes = await recordAdded(tx, accountId);
      await insertOwn(tx, CODES_SET_UP, accountId);
      return recoveryCodes;
    });
  }

  /**
   * Removes the one-time codes of the viewer.
   *
   * @throws ForgeError `conflict` if there are none, or an organization of the viewer requires a second factor
   */
  async removeCodes({ accountId }: SignedIn): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      await lockForRemoval(tx, accountId);
      if (!(await deleteCodes(tx, accountId))) throw conflict('your account has no one-time codes');
      await recordRemoved(tx, { accountId, isReset: false }, this.lost);
      await insertOwn(tx, CODES_REMOVED, accountId);
    });
  }

  /**
   * Replaces all recovery codes of the viewer.
   *
   * @returns the new ones, which are shown once
   * @throws ForgeError `conflict` for an account without a second factor
   */
  async renewRecoveryCodes({ accountId }: SignedIn): Promise<readonly string[]> {
    return this.#use.database.transaction(async (tx) => {
      await lockUser(tx, accountId);
      if (!(await hasFactor(tx, accountId))) throw conflict('set up a second factor first');
      const codes = await makeRecoveryCodes(tx, accountId);
      await insertOwn(tx, RECOVERY_CODES_RENEWED, accountId);
      return codes;
    });
  }

  /**
   * Uses a one-time code or a recovery code of an account. Each is accepted once.
   *
   * @returns undefined for a code that is wrong or was used before
   * @throws ForgeError `too_many_attempts` for one-time codes of an account for which many were tried
   */
  async useCode(accountId: number, typed: string): Promise<UsedCode | undefined> {
    const code = withoutSpaces(typed);
    if (looksLikeOneTimeCode(code)) return (await this.#useOneTimeCode(accountId, code)) ? 'code' : undefined;
    if (!looksLikeRecoveryCode(code)) return undefined;
    return (await this.#useRecoveryCode(accountId, code)) ? 'recovery-code' : undefined;
  }

  /**
   * Removes all second factors of a user who has lost them, for site administrators.
   *
   * @throws ForgeError `not_found` for a missing account, and for one without a second factor; `invalid` for an
   *   organization
   */
  async reset(actor: Actor, name: string): Promise<void> {
    requireAdministration(actor, SITE.editAccount);
    const viewer = actor === 'operator' ? SYSTEM : actor;
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    await this.#use.database.transaction(async (tx) => {
      await lockForRemoval(tx, accountId);
      const hadCodes = await deleteCodes(tx, accountId);
      const hadPasskeys = await deletePasskeysOf(tx, accountId);
      if (!hadCodes && !hadPasskeys) throw notFound('second factor');
      await recordRemoved(tx, { accountId, isReset: true }, this.lost);
      const payload = { accountId };
      await insertEvent(tx, SECOND_FACTORS_RESET, { actorId: actorId(actor), repositoryId: null, payload });
    });
  }

  /**
   * Removes what was added to an account since a time, for an owner who takes the account back. Recovery codes end with it,
   * because a thief has seen them or could have renewed them.
   */
  async removeSince(
    tx: Tx,
    { accountId, since }: { readonly accountId: number; readonly since: number },
  ): Promise<void> {
    await lockForRemoval(tx, accountId);
    const hadCodes = await deleteCodesSince(tx, accountId, since);
    const passkeys = await deletePasskeysSince(tx, accountId, since);
    if (!hadCodes && passkeys.length === 0) return;
    await deleteRecoveryCodes(tx, accountId);
    await recordRemoved(tx, { accountId, isReset: true }, this.lost);
    if (hadCodes) await insertOwn(tx, CODES_REMOVED, accountId);
    for (const { id: passkeyId, name } of passkeys) {
      const payload = { accountId, passkeyId, name };
      await insertEvent(tx, PASSKEY_REMOVED, { actorId: accountId, repositoryId: null, payload });
    }
  }

  /** A wrong code stays counted, because the transaction commits. */
  async #useOneTimeCode(accountId: number, code: string): Promise<boolean> {
    const now = currentTimeMs();
    return this.#use.database.transaction(async (tx) => {
      const codes = await countTried(tx, accountId, now);
      if (codes === undefined) {
        if ((await findCodes(tx, accountId))?.isConfirmed === true) throw tooMany();
        return false;
      }
      const step = stepOf(code, this.#open(accountId, codes.sealedSecret), now);
      return step !== undefined && useStep(tx, accountId, step);
    });
  }

  async #useRecoveryCode(accountId: number, code: string): Promise<boolean> {
    return this.#use.database.transaction(async (tx) => {
      if (!(await useRecoveryCode(tx, accountId, recoveryDigestOf(code)))) return false;
      const payload = { accountId, left: await countRecoveryCodes(tx, accountId) };
      await insertEvent(tx, RECOVERY_CODE_USED, { actorId: accountId, repositoryId: null, payload });
      return true;
    });
  }

  #setupOf({ name }: SignedIn, secret: string): CodeSetup {
    const { hostname } = new URL(this.#use.addresses.baseUrl);
    return codeSetupOf(secret, { issuer: `Quire ${hostname}`, account: name });
  }

  #open(accountId: number, sealedSecret: string): string {
    return this.#use.sealer.open(sealedSecret, purposeOf(accountId));
  }
}

function insertOwn(tx: Tx, kind: EventKind<{ accountId: number }>, accountId: number): Promise<void> {
  return insertEvent(tx, kind, { actorId: accountId, repositoryId: null, payload: { accountId } });
}

function purposeOf(accountId: number): string {
  return `one-time codes of account ${accountId}`;
}

/** People copy codes with the spaces and hyphens that apps and papers show. */
function withoutSpaces(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase();
}

function alreadySetUp(): ForgeError {
  return conflict('your account has one-time codes already: remove them first');
}

function tooMany(): ForgeError {
  const retryAfterSeconds = SECOND_FACTOR_LIMITS.codesTriedPeriodMs / 1000;
  const what = 'too many wrong codes: try again in an hour, or use a recovery code';
  return new ForgeError({ kind: 'too_many_attempts', what, retryAfterSeconds });
}
