import { hash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { SignedIn } from '../../api/access/viewer.ts';
import { conflict, ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import { SignedClaims } from '../../base/core/signed-claims.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Addresses } from '../../http/app.ts';
import { lockUser } from '../accounts/locks.ts';
import { lockForRemoval, recordAdded, recordRemoved } from './changes.ts';
import { PASSKEY_ADDED, PASSKEY_REMOVED } from './events.ts';
import { SECOND_FACTOR_LIMITS } from './limits.ts';
import type { ChallengePurpose, Passkey, PasskeyAnswer, PasskeyRequest } from './model.ts';
import type { SecondFactors } from './service.ts';
import {
  countPasskeys,
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  recordPasskeyUse,
  useChallenge,
} from './store/passkeys.ts';

const CHALLENGE_BYTES = 32;

/** A challenge that a browser carries. It is stored only once it is answered, so that strangers fill no table. */
interface ChallengeClaims {
  readonly purpose: ChallengePurpose;
  /** null for a sign-in, before it is known who signs in */
  readonly accountId: number | null;
  /** base64url */
  readonly challenge: string;
  /** ms */
  readonly expiresAt: number;
}

interface Dependencies {
  readonly database: Database;
  /** of this server */
  readonly secret: Uint8Array;
  readonly addresses: Addresses;
  readonly secondFactors: SecondFactors;
}

/**
 * Passkeys of accounts. Their site is the base URL of this server and nothing else, so a passkey answers no other server.
 *
 * @see https://www.w3.org/TR/webauthn-3/
 */
export class Passkeys {
  readonly #use: Dependencies;
  readonly #claims: SignedClaims<ChallengeClaims>;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#claims = new SignedClaims(this.#use.secret, 'challenges for passkeys');
  }

  /** Whether browsers have passkeys for this server: they need a name instead of an IP address, and TLS or this machine. */
  get areUsable(): boolean {
    const { protocol, hostname } = new URL(this.#use.addresses.baseUrl);
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
    return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  }

  list(accountId: number): Promise<readonly Passkey[]> {
    return listPasskeys(this.#use.database.reader, accountId);
  }

  /** Returns what a browser needs to make a passkey of the viewer. @throws ForgeError `invalid` for too many */
  async requestNew({ accountId, name }: SignedIn): Promise<PasskeyRequest> {
    this.#requireUsable();
    const existing = await this.list(accountId);
    requireRoom(existing.length);
    const { generateRegistrationOptions } = await webAuthn();
    const { challenge, bytes } = this.#challenge('register', accountId);
    const options = await generateRegistrationOptions({
      rpName: 'Quire',
      rpID: this.#site.rpId,
      userName: name,
      userID: new Uint8Array(Buffer.from(userHandleOf(accountId))),
      challenge: bytes,
      timeout: SECOND_FACTOR_LIMITS.challengeMs,
      excludeCredentials: existing.map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    return { options: JSON.stringify(options), challenge };
  }

  /**
   * Adds a passkey that a browser has made.
   *
   * @returns recovery codes of the account, which are shown once; none if it has some already
   * @throws ForgeError `forbidden` for an answer that is not to a current challenge of the viewer, or from another site;
   *   `invalid` for a bad name or too many; `conflict` for a passkey that an account has already
   */
  async add({ accountId }: SignedIn, name: string, answer: PasskeyAnswer): Promise<readonly string[]> {
    requireName(name);
    const claims = this.#read(answer, { purpose: 'register', accountId });
    const { verifyRegistrationResponse } = await webAuthn();
    const { registrationInfo } = await verified(() =>
      verifyRegistrationResponse({
        response: parsed(answer.credential) as RegistrationResponseJSON,
        expectedChallenge: claims.challenge,
        expectedOrigin: this.#site.origin,
        expectedRPID: this.#site.rpId,
        requireUserVerification: false,
      }),
    );
    if (registrationInfo === undefined) throw notAccepted();
    const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential;
    return this.#use.database.transaction(async (tx) => {
      await lockUser(tx, accountId);
      await useOnce(tx, claims);
      requireRoom(await countPasskeys(tx, accountId));
      const passkeyId = await insertPasskey(tx, {
        accountId,
        name,
        credentialId,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports,
        createdAt: currentTimeMs(),
      });
      if (passkeyId === undefined) throw conflict('this passkey belongs to an account already');
      const recoveryCodes = await recordAdded(tx, accountId);
      const payload = { accountId, passkeyId, name };
      await insertEvent(tx, PASSKEY_ADDED, { actorId: accountId, repositoryId: null, payload });
      return recoveryCodes;
    });
  }

  /**
   * Removes a passkey of the viewer.
   *
   * @throws ForgeError `not_found`; `conflict` if it is the last second factor, which an organization requires
   */
  async remove({ accountId }: SignedIn, id: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      await lockForRemoval(tx, accountId);
      const name = await deletePasskey(tx, accountId, id);
      if (name === undefined) throw notFound('passkey');
      await recordRemoved(tx, { accountId, isReset: false }, this.#use.secondFactors.lost);
      const payload = { accountId, passkeyId: id, name };
      await insertEvent(tx, PASSKEY_REMOVED, { actorId: accountId, repositoryId: null, payload });
    });
  }

  /**
   * Returns what a browser needs to use a passkey of an account; undefined if the account has none.
   *
   * @param options.isAlone whether only an authenticator that checks its user will do
   */
  async requestUse(
    purpose: 'second-factor' | 'confirm',
    accountId: number,
    { isAlone }: { readonly isAlone: boolean },
  ): Promise<PasskeyRequest | undefined> {
    const passkeys = this.areUsable ? await this.list(accountId) : [];
    if (passkeys.length === 0) return undefined;
    return this.#request(purpose, { accountId, passkeys, isAlone });
  }

  /** Returns what a browser needs to sign in with a passkey alone; undefined if this server has none. */
  async requestSignIn(): Promise<PasskeyRequest | undefined> {
    const anyone = { accountId: null, passkeys: [], isAlone: true };
    return this.areUsable ? this.#request('sign-in', anyone) : undefined;
  }

  /**
   * Uses a passkey of an account, after its password.
   *
   * @throws ForgeError `forbidden` as `add`, and for a passkey of another account
   */
  async use(purpose: 'second-factor' | 'confirm', accountId: number, answer: PasskeyAnswer): Promise<void> {
    await this.#verify(answer, { purpose, accountId }, { isAlone: false });
  }

  /**
   * Uses a passkey in place of a password and a second factor: the authenticator has checked who uses it.
   *
   * @param expected.accountId null for a sign-in, before it is known who signs in
   * @returns the id of the account that has the passkey
   * @throws ForgeError `forbidden` as `add`, for an unknown passkey or one of another account, and without that check
   */
  useAlone(
    answer: PasskeyAnswer,
    expected:
      | { readonly purpose: 'sign-in'; readonly accountId: null }
      | { readonly purpose: 'confirm'; readonly accountId: number },
  ): Promise<number> {
    return this.#verify(answer, expected, { isAlone: true });
  }

  /** @returns the id of the account that has the passkey */
  async #verify(
    answer: PasskeyAnswer,
    expected: Pick<ChallengeClaims, 'purpose' | 'accountId'>,
    { isAlone }: { readonly isAlone: boolean },
  ): Promise<number> {
    const claims = this.#read(answer, expected);
    const response = parsed(answer.credential) as AuthenticationResponseJSON;
    const passkey = await this.#find(response, expected.accountId);
    const { verifyAuthenticationResponse } = await webAuthn();
    const { authenticationInfo } = await verified(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: claims.challenge,
        expectedOrigin: this.#site.origin,
        expectedRPID: this.#site.rpId,
        requireUserVerification: isAlone,
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          counter: passkey.counter,
        },
      }),
    );
    await this.#use.database.transaction(async (tx) => {
      await useOnce(tx, claims);
      const used = { counter: authenticationInfo.newCounter, at: currentTimeMs() };
      if (!(await recordPasskeyUse(tx, passkey, used))) throw notAccepted();
    });
    return passkey.accountId;
  }

  async #find(response: AuthenticationResponseJSON, accountId: number | null): Promise<Passkey> {
    const { id } = response as { id?: unknown };
    const found = typeof id === 'string' ? await findPasskey(this.#use.database.reader, id) : undefined;
    if (found === undefined || (accountId !== null && found.accountId !== accountId)) throw notAccepted();
    const { userHandle } = response.response ?? {};
    const expected = Buffer.from(userHandleOf(found.accountId)).toString('base64url');
    // Authenticators name the user of a passkey that signs in alone.
    const isNamed = accountId === null || (userHandle ?? '') !== '';
    if (isNamed && userHandle !== expected) throw notAccepted();
    return found;
  }

  async #request(
    purpose: ChallengePurpose,
    {
      accountId,
      passkeys,
      isAlone,
    }: {
      readonly accountId: number | null;
      readonly passkeys: readonly Passkey[];
      readonly isAlone: boolean;
    },
  ): Promise<PasskeyRequest> {
    const { generateAuthenticationOptions } = await webAuthn();
    const { challenge, bytes } = this.#challenge(purpose, accountId);
    const options = await generateAuthenticationOptions({
      rpID: this.#site.rpId,
      challenge: bytes,
      timeout: SECOND_FACTOR_LIMITS.challengeMs,
      allowCredentials: passkeys.map(({ credentialId }) => ({ id: credentialId })),
      userVerification: isAlone ? 'required' : 'preferred',
    });
    return { options: JSON.stringify(options), challenge };
  }

  #challenge(purpose: ChallengePurpose, accountId: number | null) {
    const bytes = new Uint8Array(randomBytes(CHALLENGE_BYTES));
    const expiresAt = currentTimeMs() + SECOND_FACTOR_LIMITS.challengeMs;
    const text = Buffer.from(bytes).toString('base64url');
    return { challenge: this.#claims.sign({ purpose, accountId, challenge: text, expiresAt }), bytes };
  }

  #read(answer: PasskeyAnswer, expected: Pick<ChallengeClaims, 'purpose' | 'accountId'>): ChallengeClaims {
    const claims = this.#claims.read(answer.challenge);
    const isMeant = claims?.purpose === expected.purpose && claims.accountId === expected.accountId;
    if (claims === undefined || !isMeant) throw forbidden('this took too long: use your passkey again');
    return claims;
  }

  #requireUsable(): void {
    if (!this.areUsable)
      throw invalid('passkeys need a base URL with https and a name instead of an IP address');
  }

  get #site() {
    const { origin, hostname: rpId } = new URL(this.#use.addresses.baseUrl);
    return { origin, rpId };
  }
}

/** Loaded when a page first asks for a passkey, because it is large. */
function webAuthn() {
  return import('@simplewebauthn/server');
}

/** How authenticators name the account. */
function userHandleOf(accountId: number): string {
  return `account ${accountId}`;
}

/** @throws ForgeError `forbidden` for an answer that the library rejects, whatever the reason */
async function verified<Result extends { readonly verified: boolean }>(
  verify: () => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined;
  try {
    result = await verify();
  } catch (error) {
    throw notAccepted(error);
  }
  if (!result.verified) throw notAccepted();
  return result;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // It is not JSON.
  }
  throw notAccepted();
}

/** @throws ForgeError `forbidden` for a challenge that was answered before */
async function useOnce(tx: Tx, { challenge, expiresAt }: ChallengeClaims): Promise<void> {
  const isNew = await useChallenge(tx, hash('sha256', challenge), {
    now: currentTimeMs(),
    endsAt: expiresAt,
  });
  if (!isNew) throw notAccepted();
}

function requireName(name: string): void {
  const { passkeyNameCharsMax } = SECOND_FACTOR_LIMITS;
  if (name === '' || name.length > passkeyNameCharsMax || !isPlainLine(name))
    throw invalid(`name the passkey in one line of at most ${passkeyNameCharsMax} characters`);
}

function requireRoom(count: number): void {
  const { passkeysPerAccountMax } = SECOND_FACTOR_LIMITS;
  if (count >= passkeysPerAccountMax)
    throw invalid(`your account has ${passkeysPerAccountMax} passkeys: remove one first`);
}

function notAccepted(cause?: unknown): ForgeError {
  return new ForgeError({ kind: 'forbidden', what: 'the passkey was not accepted' }, { cause });
}
