import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { queryFirst } from '../../base/database/query.ts';
import type { OAuthGrantsTable } from '../../base/database/schema/tokens.ts';
import { SIGN_IN_COLUMNS, type SignInColumns, signInStateOf } from '../accounts/columns.ts';
import type { GrantedRequest, OAuthBearer, OAuthGrant, ShownGrant } from './model.ts';
import type { RefreshToken } from './secrets.ts';

type GrantRow = Selectable<OAuthGrantsTable>;

interface BearerRow extends SignInColumns {
  grant_id: number;
  application_id: number;
  version: number;
  scopes: string;
  used_at: number;
  token_created_at: number;
  ends_at: number;
}

/** Finds an access token with the current state of its account, in one query. */
export async function findBearer(db: Db, digest: string): Promise<OAuthBearer | undefined> {
  const row = await queryFirst<BearerRow>(
    db,
    fragment`select g.id as grant_id, g.application_id, g.version, g.used_at, t.scopes,
      t.created_at as token_created_at, t.ends_at, ${SIGN_IN_COLUMNS}
    from oauth_tokens t join oauth_grants g on g.id = t.grant_id join accounts a on a.id = g.account_id
    where t.digest = ${digest}`,
  );
  return row === undefined ? undefined : bearerOf(row);
}

/** Finds a grant with the current state of its account. */
export async function findBearerByGrant(db: Db, grantId: number): Promise<OAuthBearer | undefined> {
  const row = await queryFirst<BearerRow>(
    db,
    fragment`select g.id as grant_id, g.application_id, g.version, g.used_at, g.scopes,
      g.created_at as token_created_at, g.ends_at, ${SIGN_IN_COLUMNS}
    from oauth_grants g join accounts a on a.id = g.account_id where g.id = ${grantId} and g.is_redeemed = 1`,
  );
  return row === undefined ? undefined : bearerOf(row);
}

/** Finds the grant of a refresh token, with the current state of its account. */
export async function findBearerByRefresh(
  db: Db,
  { familyDigest, digest }: RefreshToken,
): Promise<OAuthBearer | undefined> {
  const row = await db
    .selectFrom('oauth_grants')
    .where('family_digest', '=', familyDigest)
    .where('refresh_digest', '=', digest)
    .select('id')
    .executeTakeFirst();
  return row === undefined ? undefined : findBearerByGrant(db, row.id);
}

function bearerOf(row: BearerRow): OAuthBearer {
  return {
    grantId: row.grant_id,
    applicationId: row.application_id,
    account: signInStateOf(row),
    version: row.version,
    scopes: row.scopes,
    usedAt: row.used_at,
    createdAt: row.token_created_at,
    endsAt: row.ends_at,
  };
}

/** Returns the scopes of the grants that an account has given to an application and that have not ended. */
export async function listGrantedScopes(
  db: Db,
  {
    accountId,
    applicationId,
    version,
    now,
  }: {
    readonly accountId: number;
    readonly applicationId: number;
    readonly version: number;
    readonly now: number;
  },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .where('account_id', '=', accountId)
    .where('application_id', '=', applicationId)
    .where('is_redeemed', '=', 1)
    .where('version', '=', version)
    .where('ends_at', '>', now)
    .select('scopes')
    .distinct()
    .execute();
  return rows.map(({ scopes }) => scopes);
}

/** Deletes the grants of all accounts that have ended, and the codes that no client has exchanged in time. */
export async function deleteEnded(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('oauth_grants').where('ends_at', '<=', now).execute();
}

/** Deletes the oldest codes of an account that wait for their clients, so that `kept` remain. */
export async function deleteOldestCodes(tx: Tx, accountId: number, kept: number): Promise<void> {
  const newest = tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('account_id', '=', accountId)
    .where('is_redeemed', '=', 0)
    .orderBy('id', 'desc')
    .limit(kept);
  await tx
    .deleteFrom('oauth_grants')
    .where('account_id', '=', accountId)
    .where('is_redeemed', '=', 0)
    .where('id', 'not in', newest)
    .execute();
}

/** Deletes the grants of an account that were used least recently, so that `kept` remain. */
export async function deleteLeastRecent(
  tx: Tx,
  { accountId, applicationId }: { readonly accountId: number; readonly applicationId?: number },
  kept: number,
): Promise<void> {
  const recent = tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('account_id', '=', accountId)
    .where('is_redeemed', '=', 1)
    .$if(applicationId !== undefined, (of) => of.where('application_id', '=', applicationId ?? 0))
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(kept);
  await tx
    .deleteFrom('oauth_grants')
    .where('account_id', '=', accountId)
    .where('is_redeemed', '=', 1)
    .$if(applicationId !== undefined, (of) => of.where('application_id', '=', applicationId ?? 0))
    .where('id', 'not in', recent)
    .execute();
}

export async function insertCode(
  tx: Tx,
  code: GrantedRequest & {
    readonly accountId: number;
    readonly version: number;
    readonly digest: string;
    readonly provedAt: number;
    readonly now: number;
    readonly endsAt: number;
  },
): Promise<void> {
  await tx
    .insertInto('oauth_grants')
    .values({
      application_id: code.applicationId,
      account_id: code.accountId,
      version: code.version,
      scopes: code.scopes,
      nonce: code.nonce,
      proved_at: code.provedAt,
      code_digest: code.digest,
      code_redirect_uri: code.redirectUri,
      code_challenge: code.challenge,
      code_challenge_method: code.method,
      is_redeemed: 0,
      created_at: code.now,
      used_at: code.now,
      ends_at: code.endsAt,
    })
    .execute();
}

/** Finds who has given a grant, by the digest of its code or of its family of refresh tokens. */
export async function findGiver(
  db: Db,
  by: { readonly codeDigest: string } | { readonly familyDigest: string },
): Promise<{ readonly accountId: number; readonly version: number } | undefined> {
  const row = await db
    .selectFrom('oauth_grants')
    .where((where) =>
      'codeDigest' in by
        ? where('code_digest', '=', by.codeDigest)
        : where('family_digest', '=', by.familyDigest),
    )
    .select(['account_id', 'version'])
    .executeTakeFirst();
  return row === undefined ? undefined : { accountId: row.account_id, version: row.version };
}

/** Finds the grant of a code, and locks it until the transaction ends. */
export function lockByCode(tx: Tx, digest: string): Promise<GrantRow | undefined> {
  return tx
    .updateTable('oauth_grants')
    .set((set) => ({ is_redeemed: set.ref('is_redeemed') }))
    .where('code_digest', '=', digest)
    .returningAll()
    .executeTakeFirst();
}

/** Finds the grant of a family of refresh tokens, and locks it until the transaction ends. */
export function lockByFamily(tx: Tx, familyDigest: string): Promise<GrantRow | undefined> {
  return tx
    .updateTable('oauth_grants')
    .set((set) => ({ is_redeemed: set.ref('is_redeemed') }))
    .where('family_digest', '=', familyDigest)
    .returningAll()
    .executeTakeFirst();
}

/** Gives a grant its next refresh token. */
export async function setRefresh(
  tx: Tx,
  id: number,
  refresh: { readonly token: RefreshToken; readonly now: number; readonly endsAt: number },
): Promise<void> {
  await tx
    .updateTable('oauth_grants')
    .set({
      is_redeemed: 1,
      family_digest: refresh.token.familyDigest,
      refresh_digest: refresh.token.digest,
      used_at: refresh.now,
      ends_at: refresh.endsAt,
    })
    .where('id', '=', id)
    .execute();
}

/** Adds an access token, and deletes those of the grant that have ended and the oldest ones beyond `kept`. */
export async function insertAccessToken(
  tx: Tx,
  token: {
    readonly grantId: number;
    readonly digest: string;
    readonly scopes: string;
    readonly now: number;
    readonly endsAt: number;
  },
  kept: number,
): Promise<void> {
  const newest = tx
    .selectFrom('oauth_tokens')
    .select('id')
    .where('grant_id', '=', token.grantId)
    .orderBy('id', 'desc')
    .limit(kept - 1);
  await tx
    .deleteFrom('oauth_tokens')
    .where('grant_id', '=', token.grantId)
    .where((where) => where.or([where('ends_at', '<=', token.now), where('id', 'not in', newest)]))
    .execute();
  await tx
    .insertInto('oauth_tokens')
    .values({
      grant_id: token.grantId,
      digest: token.digest,
      scopes: token.scopes,
      created_at: token.now,
      ends_at: token.endsAt,
    })
    .execute();
}

/** Deletes an access token. @returns whether there was one */
export async function deleteAccessToken(
  tx: Tx,
  { digest, applicationId }: { readonly digest: string; readonly applicationId: number },
): Promise<boolean> {
  const row = await tx
    .deleteFrom('oauth_tokens')
    .where('digest', '=', digest)
    .where('grant_id', 'in', (select) =>
      select.selectFrom('oauth_grants').select('id').where('application_id', '=', applicationId),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns the grant; undefined if the account has none of this id */
export async function deleteGrant(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<{ readonly id: number; readonly applicationId: number } | undefined> {
  const row = await tx
    .deleteFrom('oauth_grants')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(['id', 'application_id'])
    .executeTakeFirst();
  return row === undefined ? undefined : { id: row.id, applicationId: row.application_id };
}

/**
 * @param applicationId null: of all applications
 * @returns whether the account had given any
 */
export async function deleteGrantsOf(
  tx: Tx,
  accountId: number,
  applicationId: number | null,
): Promise<boolean> {
  const rows = await tx
    .deleteFrom('oauth_grants')
    .where('account_id', '=', accountId)
    .$if(applicationId !== null, (of) => of.where('application_id', '=', applicationId ?? 0))
    .returning('is_redeemed')
    .execute();
  return rows.some(({ is_redeemed: isRedeemed }) => isRedeemed === 1);
}

/** Records a use. An earlier one that is recorded late changes nothing. */
export async function setUsed(tx: Tx, id: number, at: number): Promise<void> {
  await tx
    .updateTable('oauth_grants')
    .set({ used_at: at })
    .where('id', '=', id)
    .where('used_at', '<', at)
    .execute();
}

/** Lists what an account has granted, by application, the most recently used first. */
export async function listGrants(
  db: Db,
  {
    accountId,
    version,
    now,
    limit,
  }: { readonly accountId: number; readonly version: number; readonly now: number; readonly limit: number },
): Promise<readonly ShownGrant[]> {
  const rows = await db
    .selectFrom('oauth_grants as g')
    .innerJoin('oauth_applications as o', 'o.id', 'g.application_id')
    .where('g.account_id', '=', accountId)
    .where('g.is_redeemed', '=', 1)
    .where('g.version', '=', version)
    .where('g.ends_at', '>', now)
    .selectAll('g')
    .select(['o.name', 'o.client_id'])
    .orderBy('g.used_at', 'desc')
    .orderBy('g.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...grantOf(row), applicationName: row.name, clientId: row.client_id }));
}

export function grantOf(row: GrantRow): OAuthGrant {
  return {
    id: row.id,
    applicationId: row.application_id,
    accountId: row.account_id,
    scopes: row.scopes,
    nonce: row.nonce,
    provedAt: row.proved_at,
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}
