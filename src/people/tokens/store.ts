import type { Selectable } from 'kysely';
import { type GrantedScope, isGrantedScope } from '../../api/access/scopes.ts';
import { packedPermissions, permissionJoin } from '../../api/access/store/repository.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, fragment } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { TokensTable } from '../../base/database/schema/tokens.ts';
import { SIGN_IN_COLUMNS, type SignInColumns, signInStateOf } from '../accounts/columns.ts';
import type { Bearer, RepositoryName, Token, TokenRepository } from './model.ts';

type TokenRow = Selectable<TokensTable>;

interface BearerRow extends SignInColumns {
  token_id: number;
  is_limited: number;
  scopes: string;
}

/** Finds a token with the current state of its account, in one query. */
export function findBearer(db: Db, digest: string): Promise<Bearer | undefined> {
  return findBearerWhere(db, fragment`t.digest = ${digest}`);
}

export function findBearerById(db: Db, id: number): Promise<Bearer | undefined> {
  return findBearerWhere(db, fragment`t.id = ${id}`);
}

async function findBearerWhere(db: Db, condition: Fragment): Promise<Bearer | undefined> {
  const row = await queryFirst<BearerRow>(
    db,
    fragment`select t.id as token_id, t.is_limited, t.scopes, ${SIGN_IN_COLUMNS}
    from tokens t join accounts a on a.id = t.account_id where ${condition}`,
  );
  if (row === undefined) return undefined;
  return {
    tokenId: row.token_id,
    account: signInStateOf(row),
    isLimited: row.is_limited === 1,
    scopes: scopesOf(row.scopes),
  };
}

/** @param owner account of the tokens; their limits leave out repositories that the owner no longer sees */
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

/** Columns for the id and the path of `repositories r`, and the joins that `packedPermissions` expects. */
function namedRepositories(viewer: Viewer): { columns: Fragment; from: Fragment } {
  return {
    columns: fragment`r.id, o.name as owner, r.name`,
    from: fragment`repositories r join accounts o on o.id = r.owner_id ${permissionJoin(viewer)}`,
  };
}

/** Finds a repository by its path, if `viewer` may see it. */
export function findNamedRepository(
  db: Db,
  viewer: Viewer,
  path: RepositoryName,
): Promise<TokenRepository | undefined> {
  const { columns, from } = namedRepositories(viewer);
  return queryFirst<NamedRepositoryRow>(
    db,
    fragment`select ${columns} from ${from} where o.lower_name = ${path.owner.toLowerCase()}
      and r.lower_name = ${path.name.toLowerCase()} and ${packedPermissions(viewer)} > 0`,
  );
}

async function listLimits(
  db: Db,
  owner: Viewer & { accountId: number },
): Promise<Map<number, TokenRepository[]>> {
  const { columns, from } = namedRepositories(owner);
  const rows = await query<NamedRepositoryRow & { token_id: number }>(
    db,
    fragment`select x.token_id, ${columns} from ${from} join token_repositories x on x.repository_id = r.id
      join tokens k on k.id = x.token_id
      where k.account_id = ${owner.accountId} and ${packedPermissions(owner)} > 0 order by x.token_id, r.id`,
  );
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

/** @throws a unique violation if the account has a token of this name */
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
      created_at: currentTimeMs(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const limits = (repositories ?? []).map(({ id }) => ({ token_id: row.id, repository_id: id }));
  if (limits.length > 0) await tx.insertInto('token_repositories').values(limits).execute();
  return tokenOf(row, repositories ?? []);
}

/** @returns the id of the deleted token; undefined if the account has no such token */
export async function deleteTokenById(tx: Tx, accountId: number, id: number): Promise<number | undefined> {
  const row = await tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** @returns the ids of the deleted tokens */
export async function deleteTokensOf(tx: Tx, accountId: number): Promise<readonly number[]> {
  const rows = await tx.deleteFrom('tokens').where('account_id', '=', accountId).returning('id').execute();
  return rows.map(({ id }) => id);
}

/** @returns the id of the deleted token; undefined if the account has no such token */
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

/** Ignores scopes that this version does not define. */
function scopesOf(stored: string): readonly GrantedScope[] {
  return stored.split(',').filter(isGrantedScope);
}
