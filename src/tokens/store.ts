import type { Selectable } from 'kysely';
import { HELD_JOIN, HELD_LEVEL, heldParameters, viewerParameter } from '../access/held.ts';
import { type GrantedScope, isGrantedScope } from '../access/scopes.ts';
import type { Viewer } from '../access/viewer.ts';
import type { AccountKind } from '../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { TokensTable } from '../database/schema/tokens.ts';
import type { Bearer, RepositoryName, Token, TokenRepository } from './model.ts';

type TokenRow = Selectable<TokensTable>;

interface BearerRow {
  token_id: number;
  is_limited: number;
  scopes: string;
  id: number;
  kind: AccountKind;
  name: string;
  is_admin: number;
  is_restricted: number;
  is_active: number;
  is_login_prohibited: number;
}

const byDigest = hotQuery<BearerRow>(
  `select t.id as token_id, t.is_limited, t.scopes, a.id, a.kind, a.name, a.is_admin, a.is_restricted, a.is_active, a.is_login_prohibited
  from tokens t join accounts a on a.id = t.account_id where t.digest = ?`,
);

/** One query tells whose token it is and how the account stands now. */
export async function findBearer(db: Db, digest: string): Promise<Bearer | undefined> {
  const [row] = await byDigest(db, [digest]);
  if (row === undefined) return undefined;
  const account = {
    id: row.id,
    kind: row.kind,
    name: row.name,
    isAdmin: row.is_admin === 1,
    isRestricted: row.is_restricted === 1,
    isActive: row.is_active === 1,
    isLoginProhibited: row.is_login_prohibited === 1,
  };
  return {
    tokenId: row.token_id,
    account,
    isLimited: row.is_limited === 1,
    scopes: scopesOf(row.scopes),
  };
}

/** @param owner whose tokens they are: of the repositories they are limited to it tells those that this viewer sees */
export async function listTokens(
  db: Db,
  owner: Viewer & { accountId: number },
  paging: Paging,
): Promise<Page<Token>> {
  const tokens = db.selectFrom('tokens').where('account_id', '=', owner.accountId);
  const rows = await tokens.selectAll().orderBy('id').limit(paging.limit).offset(offsetOf(paging)).execute();
  const limits = rows.some((row) => row.is_limited === 1) ? await listLimits(db, owner) : new Map();
  return {
    items: rows.map((row) => tokenOf(row, limits.get(row.id) ?? [])),
    total: await countTokens(db, owner.accountId),
  };
}

interface NamedRepositoryRow {
  id: number;
  owner: string;
  name: string;
}

const NAMED = `r.id, o.name as owner, r.name from repositories r join accounts o on o.id = r.owner_id ${HELD_JOIN}`;
const named = hotQuery<NamedRepositoryRow>(
  `select ${NAMED} where o.lower_name = ? and r.lower_name = ? and ${HELD_LEVEL} > 0`,
);

/** The repository of this name, if `viewer` may see it. */
export async function findNamedRepository(
  db: Db,
  viewer: Viewer,
  path: RepositoryName,
): Promise<TokenRepository | undefined> {
  const names = [path.owner.toLowerCase(), path.name.toLowerCase()];
  const [row] = await named(db, [viewerParameter(viewer), ...names, ...heldParameters(viewer)]);
  return row;
}

const limited = hotQuery<NamedRepositoryRow & { token_id: number }>(
  `select x.token_id, ${NAMED} join token_repositories x on x.repository_id = r.id
  join tokens k on k.id = x.token_id where k.account_id = ? and ${HELD_LEVEL} > 0 order by x.token_id, r.id`,
);

async function listLimits(
  db: Db,
  owner: Viewer & { accountId: number },
): Promise<Map<number, TokenRepository[]>> {
  const rows = await limited(db, [viewerParameter(owner), owner.accountId, ...heldParameters(owner)]);
  const limits = new Map<number, TokenRepository[]>();
  for (const { token_id: token, ...repository } of rows) {
    limits.set(token, [...(limits.get(token) ?? []), repository]);
  }
  return limits;
}

export async function countTokens(db: Db, accountId: number): Promise<number> {
  const { total } = await db
    .selectFrom('tokens')
    .where('account_id', '=', accountId)
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** @throws a unique violation where the account has a token of this name */
export async function insertToken(
  tx: Tx,
  token: {
    accountId: number;
    name: string;
    digest: string;
    lastEight: string;
    scopes: readonly GrantedScope[];
    repositories: readonly TokenRepository[] | null;
  },
): Promise<Token> {
  const { repositories } = token;
  const row = await tx
    .insertInto('tokens')
    .values({
      account_id: token.accountId,
      name: token.name,
      digest: token.digest,
      last_eight: token.lastEight,
      scopes: token.scopes.join(','),
      is_limited: repositories === null ? 0 : 1,
      created_at: Date.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const limits = (repositories ?? []).map(({ id }) => ({ token_id: row.id, repository_id: id }));
  if (limits.length > 0) await tx.insertInto('token_repositories').values(limits).execute();
  return tokenOf(row, repositories ?? []);
}

/** @returns its id; undefined where the account has no such token */
export async function deleteTokenById(tx: Tx, accountId: number, id: number): Promise<number | undefined> {
  const row = await tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** @returns its id; undefined where the account has no such token */
export async function deleteTokenByName(
  tx: Tx,
  accountId: number,
  name: string,
): Promise<number | undefined> {
  const row = await tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

function tokenOf(row: TokenRow, repositories: readonly TokenRepository[]): Token {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    lastEight: row.last_eight,
    scopes: scopesOf(row.scopes),
    repositories: row.is_limited === 1 ? repositories : null,
    createdAt: row.created_at,
  };
}

/** A scope that this version does not know grants nothing. */
function scopesOf(stored: string): readonly GrantedScope[] {
  return stored.split(',').filter(isGrantedScope);
}
