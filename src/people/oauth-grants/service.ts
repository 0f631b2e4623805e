import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, isFailure, notFound, type OAuthErrorCode } from '../../base/core/failure.ts';
import { digestOfSecret, generateOpaqueSecret, isOpaqueSecret } from '../../base/core/secrets.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { type Database, isForeignKeyViolation, type Tx } from '../../base/database/database.ts';
import { WhileUnchanged } from '../../base/database/while-unchanged.ts';
import { insertEvent } from '../../base/events/store.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import { lockSignIn } from '../accounts/locks.ts';
import { maySignIn } from '../accounts/model.ts';
import { lockViewer } from '../sessions/locks.ts';
import { OAUTH_GRANT_ENDED, OAUTH_GRANT_STARTED, OAUTH_GRANTS_ENDED } from './events.ts';
import { OAUTH_GRANT_LIMITS } from './limits.ts';
import type {
  CodeExchange,
  GrantedRequest,
  InspectedToken,
  IssuedTokens,
  OAuthBearer,
  OAuthGrant,
  ShownGrant,
} from './model.ts';
import { isCovered, readScopes } from './scopes.ts';
import {
  generateAccessToken,
  generateRefreshToken,
  isVerified,
  looksLikeAccessToken,
  type RefreshToken,
  readRefreshToken,
} from './secrets.ts';
import {
  deleteAccessToken,
  deleteEnded,
  deleteGrant,
  deleteGrantsOf,
  deleteLeastRecent,
  deleteOldestCodes,
  findBearer,
  findBearerByGrant,
  findBearerByRefresh,
  findGiver,
  grantOf,
  insertAccessToken,
  insertCode,
  listGrantedScopes,
  listGrants,
  lockByCode,
  lockByFamily,
  setRefresh,
  setUsed,
} from './store.ts';

interface Dependencies {
  readonly database: Database;
  /** false: no token is valid */
  readonly isEnabled: boolean;
}

/**
 * What users have granted to applications, with the codes and tokens of each grant. A grant is a row, so that its end is
 * at once the end of everything that came from it, in every process.
 */
export class OAuthGrants {
  readonly #use: Dependencies;
  /** by the digest of the token */
  readonly #bearers: WhileUnchanged<string, OAuthBearer>;
  /** uses that are being recorded, by grant */
  readonly #recording = new Map<number, Promise<void>>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#bearers = new WhileUnchanged(this.#use.database, {
      entriesMax: ACCOUNT_LIMITS.credentialRowsRememberedMax,
    });
  }

  /** Whether a text can be an access token of a grant. */
  isAccessToken(text: string): boolean {
    return this.#use.isEnabled && looksLikeAccessToken(text);
  }

  /** Finds the account of an access token; undefined if there is none, or if it has ended. */
  async findBearer(token: string): Promise<OAuthBearer | undefined> {
    if (!this.isAccessToken(token)) return undefined;
    const digest = digestOfSecret(token);
    return ifCurrent(await this.#bearers.get(digest, () => findBearer(this.#use.database.reader, digest)));
  }

  /** Finds the account of a grant whose access token was accepted before. The token itself may have ended. */
  async findBearerByGrant(id: number): Promise<OAuthBearer | undefined> {
    return this.#use.isEnabled
      ? ifCurrent(await findBearerByGrant(this.#use.database.reader, id))
      : undefined;
  }

  /** Records a use of a grant. No request waits for this or fails with it. */
  recordUsed({ grantId, usedAt }: OAuthBearer): void {
    const at = currentTimeMs();
    if (at - usedAt < OAUTH_GRANT_LIMITS.usedLagMs || this.#recording.has(grantId)) return;
    const recording = this.#use.database
      .transaction((tx) => setUsed(tx, grantId, at))
      .catch(() => {})
      .finally(() => this.#recording.delete(grantId));
    this.#recording.set(grantId, recording);
  }

  /** Waits for background writes. */
  async waitForWrites(): Promise<void> {
    await Promise.all(this.#recording.values());
  }

  /** Whether the user has granted all of this to the application before, and the grant has not ended. */
  async isGranted(
    { accountId, source }: SignedIn,
    { applicationId, scopes }: Pick<GrantedRequest, 'applicationId' | 'scopes'>,
  ): Promise<boolean> {
    if (source === undefined) return false;
    const { version } = source;
    const asked = { accountId, applicationId, version, now: currentTimeMs() };
    const granted = await listGrantedScopes(this.#use.database.reader, asked);
    return granted.some((each) => isCovered(scopes, each));
  }

  /**
   * Issues an authorization code for a request that the user of a browser grants.
   *
   * @throws ForgeError `unauthenticated` if the account has changed since it signed in, or the session has ended
   */
  async issueCode(viewer: SignedIn, request: GrantedRequest): Promise<string> {
    const { accountId, source, provedAt } = viewer;
    const isBrowser = source?.kind === 'session' || source?.kind === 'proxy';
    if (!isBrowser || provedAt === undefined)
      throw new ForgeError({ kind: 'unauthenticated', what: 'sign in with a browser' });
    const code = generateOpaqueSecret();
    const { codeMs, codesPerAccountMax } = OAUTH_GRANT_LIMITS;
    const { version } = source;
    await this.#use.database
      .transaction(async (tx) => {
        const now = currentTimeMs();
        await lockViewer(tx, viewer);
        await deleteEnded(tx, now);
        await deleteOldestCodes(tx, accountId, codesPerAccountMax - 1);
        const issued = {
          accountId,
          version,
          digest: digestOfSecret(code),
          provedAt,
          now,
          endsAt: now + codeMs,
        };
        await insertCode(tx, { ...request, ...issued });
      })
      .catch((error: unknown) => {
        // The application was deleted meanwhile.
        throw isForeignKeyViolation(error) ? notFound('application') : error;
      });
    return code;
  }

  /**
   * Exchanges an authorization code. A second use of a code ends the grant: either it or the first use is a thief's.
   *
   * @throws ForgeError `bad_request` with `invalid_grant`
   */
  async redeem(exchange: CodeExchange): Promise<IssuedTokens> {
    const { code, applicationId } = exchange;
    if (!isOpaqueSecret(code)) throw invalidGrant('the code is wrong');
    const issued = await this.#use.database.transaction(async (tx) => {
      const now = currentTimeMs();
      const codeDigest = digestOfSecret(code);
      const isSignedIn = await lockGiver(tx, { codeDigest });
      const row = await lockByCode(tx, codeDigest);
      if (row === undefined || row.application_id !== applicationId)
        return 'the code is wrong, or has expired';
      const grant = grantOf(row);
      if (row.is_redeemed === 1) {
        await this.#endForReuse(tx, grant);
        return 'the code was used before: the grant has ended';
      }
      if (row.ends_at <= now) return 'the code has expired';
      const isSame = (exchange.redirectUri ?? null) === row.code_redirect_uri;
      if (!isSame) return 'redirect_uri differs from the one that the code was issued for';
      const { code_challenge: challenge, code_challenge_method: method } = row;
      if (!isVerified(exchange.verifier, { challenge, method }))
        return 'code_verifier does not fit the code_challenge';
      if (!isSignedIn) return 'the account has changed';
      const tokens = await this.#issue(tx, grant, { scopes: grant.scopes, refresh: generateRefreshToken() });
      await this.#limitGrants(tx, grant);
      const { id: grantId, accountId, scopes } = grant;
      const payload = { accountId, grantId, applicationId, scopes };
      await insertEvent(tx, OAUTH_GRANT_STARTED, { actorId: accountId, repositoryId: null, payload });
      return tokens;
    });
    return orInvalidGrant(issued);
  }

  /**
   * Exchanges a refresh token for new tokens. It is valid once: a second use ends the grant.
   *
   * @param refresh.scopes fewer than those of the grant; undefined: all of them
   * @throws ForgeError `bad_request` with `invalid_grant` or `invalid_scope`
   */
  async refresh(refresh: {
    readonly applicationId: number;
    readonly token: string;
    readonly scopes: string | undefined;
  }): Promise<IssuedTokens> {
    const sent = readRefreshToken(refresh.token);
    if (sent === undefined) throw invalidGrant('the refresh token is wrong');
    const wanted = refresh.scopes === undefined ? undefined : readScopes(refresh.scopes);
    if (refresh.scopes !== undefined && wanted === undefined)
      throw oauthFailure('invalid_scope', 'unknown scope');
    const issued = await this.#use.database.transaction(async (tx) => {
      const { familyDigest } = sent.token;
      const isSignedIn = await lockGiver(tx, { familyDigest });
      const row = await lockByFamily(tx, familyDigest);
      if (row === undefined || row.application_id !== refresh.applicationId)
        return 'the refresh token is wrong, or its grant has ended';
      const grant = grantOf(row);
      if (row.refresh_digest !== sent.token.digest) {
        await this.#endForReuse(tx, grant);
        return 'the refresh token was used before: the grant has ended';
      }
      if (row.ends_at <= currentTimeMs()) return 'the refresh token has expired';
      if (!isSignedIn) return 'the account has changed';
      const scopes = wanted ?? grant.scopes;
      if (!isCovered(scopes, grant.scopes))
        throw oauthFailure('invalid_scope', 'the grant does not have all of these scopes');
      return this.#issue(tx, grant, { scopes, refresh: generateRefreshToken(sent.family) });
    });
    return orInvalidGrant(issued);
  }

  /** Ends a token of an application: a refresh token with its grant. A token that has ended already is no error. */
  async revoke(applicationId: number, token: string): Promise<void> {
    const sent = readRefreshToken(token);
    await this.#use.database.transaction(async (tx) => {
      if (looksLikeAccessToken(token))
        await deleteAccessToken(tx, { digest: digestOfSecret(token), applicationId });
      if (sent === undefined) return;
      const row = await lockByFamily(tx, sent.token.familyDigest);
      if (row?.application_id === applicationId) await this.#end(tx, grantOf(row), 'revoked');
    });
  }

  /** Returns what a token of an application stands for; undefined if it is not valid, or of another application. */
  async inspect(applicationId: number, token: string): Promise<InspectedToken | undefined> {
    const refresh = readRefreshToken(token);
    const { reader } = this.#use.database;
    const found =
      refresh === undefined
        ? await this.findBearer(token)
        : ifCurrent(await findBearerByRefresh(reader, refresh.token));
    if (found?.applicationId !== applicationId || !maySignIn(found.account)) return undefined;
    const { account, scopes, createdAt, endsAt } = found;
    return { kind: refresh === undefined ? 'access' : 'refresh', account, scopes, createdAt, endsAt };
  }

  /** Lists what the viewer has granted, the most recently used first. */
  async list({ accountId, source }: SignedIn): Promise<readonly ShownGrant[]> {
    if (source === undefined) return [];
    return listGrants(this.#use.database.reader, {
      accountId,
      version: source.version,
      now: currentTimeMs(),
      limit: OAUTH_GRANT_LIMITS.grantsListedMax,
    });
  }

  /** Ends one of the viewer's grants. @throws ForgeError `not_found` */
  async end({ accountId }: SignedIn, id: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const deleted = await deleteGrant(tx, accountId, id);
      if (deleted === undefined) throw notFound('grant');
      const { applicationId } = deleted;
      const payload = { accountId, grantId: id, applicationId, why: 'revoked' } as const;
      await insertEvent(tx, OAUTH_GRANT_ENDED, { actorId: accountId, repositoryId: null, payload });
    });
  }

  /** Ends all grants of an account, and its codes. */
  async endAll(
    tx: Tx,
    { accountId, actorId }: { readonly accountId: number; readonly actorId: number | null },
  ): Promise<void> {
    if (!(await deleteGrantsOf(tx, accountId, null))) return;
    const payload = { accountId, applicationId: null };
    await insertEvent(tx, OAUTH_GRANTS_ENDED, { actorId, repositoryId: null, payload });
  }

  /** Ends all that the viewer has granted to an application. */
  async endApplication({ accountId }: SignedIn, applicationId: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      if (!(await deleteGrantsOf(tx, accountId, applicationId))) return;
      const payload = { accountId, applicationId };
      await insertEvent(tx, OAUTH_GRANTS_ENDED, { actorId: accountId, repositoryId: null, payload });
    });
  }

  async #issue(
    tx: Tx,
    grant: OAuthGrant,
    { scopes, refresh }: { readonly scopes: string; readonly refresh: RefreshToken },
  ): Promise<IssuedTokens> {
    const now = currentTimeMs();
    const { accessTokenMs, refreshTokenMs, tokensPerGrantMax } = OAUTH_GRANT_LIMITS;
    await setRefresh(tx, grant.id, { token: refresh, now, endsAt: now + refreshTokenMs });
    const accessToken = generateAccessToken();
    await insertAccessToken(
      tx,
      { grantId: grant.id, digest: digestOfSecret(accessToken), scopes, now, endsAt: now + accessTokenMs },
      tokensPerGrantMax,
    );
    return { grant, scopes, accessToken, refreshToken: refresh.text };
  }

  async #limitGrants(tx: Tx, { accountId, applicationId }: OAuthGrant): Promise<void> {
    const { grantsPerAccountMax, grantsPerApplicationMax } = OAUTH_GRANT_LIMITS;
    await deleteLeastRecent(tx, { accountId, applicationId }, grantsPerApplicationMax);
    await deleteLeastRecent(tx, { accountId }, grantsPerAccountMax);
  }

  #endForReuse(tx: Tx, grant: OAuthGrant): Promise<void> {
    return this.#end(tx, grant, 'reuse');
  }

  async #end(
    tx: Tx,
    { id: grantId, accountId, applicationId }: OAuthGrant,
    why: 'revoked' | 'reuse',
  ): Promise<void> {
    await deleteGrant(tx, accountId, grantId);
    const payload = { accountId, grantId, applicationId, why };
    await insertEvent(tx, OAUTH_GRANT_ENDED, { actorId: null, repositoryId: null, payload });
  }
}

/** A grant ends with the credential version of its account. */
function ifCurrent(found: OAuthBearer | undefined): OAuthBearer | undefined {
  if (found === undefined || found.version !== found.account.credentialVersion) return undefined;
  return found.endsAt > currentTimeMs() ? found : undefined;
}

/**
 * Locks the account that has given a grant. Before the grant, because a new password locks both in this order.
 *
 * @returns whether the account may still sign in, with the same password
 */
async function lockGiver(tx: Tx, by: Parameters<typeof findGiver>[1]): Promise<boolean> {
  const giver = await findGiver(tx, by);
  if (giver === undefined) return false;
  try {
    await lockSignIn(tx, giver.accountId, giver.version);
    return true;
  } catch (error) {
    if (isFailure(error, 'unauthenticated')) return false;
    throw error;
  }
}

/** A refusal must not undo the transaction, which may have ended a grant. */
function orInvalidGrant(issued: IssuedTokens | string): IssuedTokens {
  if (typeof issued === 'string') throw invalidGrant(issued);
  return issued;
}

function invalidGrant(what: string): ForgeError {
  return oauthFailure('invalid_grant', what);
}

export function oauthFailure(oauth: OAuthErrorCode, what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what, oauth });
}
