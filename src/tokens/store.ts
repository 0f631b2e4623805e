import type { Selectable } from 'kysely';
import { type GrantedScope, isGrantedScope } from '../access/scopes.ts';
import type { AccountKind } from '../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, hotQuery, type Tx } from '../database/database.ts';
import type { TokensTable } from '../database/schema/tokens.ts';
import type { Bearer, Token } from './model.ts';

type TokenRow = Selectable<TokensTable>;

interface BearerRow {
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
  `select t.scopes, a.id, a.kind, a.name, a.is_admin, a.is_restricted, a.is_active, a.is_login_prohibited
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
  return { account, scopes: scopesOf(row.scopes) };
}

export async function listTokens(db: Db, accountId: number, paging: Paging): Promise<Page<Token>> {
  const tokens = db.selectFrom('tokens').where('account_id', '=', accountId);
  const rows = await tokens.selectAll().orderBy('id').limit(paging.limit).offset(offsetOf(paging)).execute();
  return { items: rows.map(tokenOf), total: await countTokens(db, accountId) };
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
  },
): Promise<Token> {
  const row = await tx
    .insertInto('tokens')
    .values({
      account_id: token.accountId,
      name: token.name,
      digest: token.digest,
      last_eight: token.lastEight,
      scopes: token.scopes.join(','),
      created_at: Date.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return tokenOf(row);
}

/** @returns whether the account had such a token */
export async function deleteTokenById(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns whether the account had such a token */
export async function deleteTokenByName(tx: Tx, accountId: number, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function tokenOf(row: TokenRow): Token {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    lastEight: row.last_eight,
    scopes: scopesOf(row.scopes),
    createdAt: row.created_at,
  };
}

/** A scope that this version does not know grants nothing. */
function scopesOf(stored: string): readonly GrantedScope[] {
  return stored.split(',').filter(isGrantedScope);
}
