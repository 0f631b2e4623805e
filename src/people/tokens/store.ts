import type { Selectable } from 'kysely';
import { type GrantedScope, isGrantedScope } from '../../api/access/scopes.ts';
import { packedPermissions, permissionJoin } from '../../api/access/store/repository.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, fragment, joined, raw } from '../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../base/database/query.ts';
import type { TokensTable } from '../../base/database/schema/tokens.ts';
import { SIGN_IN_COLUMNS, type SignInColumns, signInStateOf } from '../accounts/columns.ts';
import { TOKEN_LIMITS } from './limits.ts';
import type { Bearer, EndingToken, NamedToken, RepositoryName, Token, TokenRepository } from './model.ts';

const DAY_MS = 24 * 60 * 60_000;

type TokenRow = Selectable<TokensTable>;

interface BearerRow extends SignInColumns {
  token_id: number;
  is_limited: number;
  scopes: string;
  expires_at: number | null;
  last_used_at: number | null;
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
    fragment`select t.id as token_id, t.is_limited, t.scopes, t.expires_at, t.last_used_at, ${SIGN_IN_COLUMNS}
    from tokens t join accounts a on a.id = t.account_id where ${condition}`,
  );
  if (row === undefined) return undefined;
  return {
    tokenId: row.token_id,
    account: signInStateOf(row),
    isLimited: row.is_limited === 1,
    scopes: scopesOf(row.scopes),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

/**
 * @param owner account of the tokens; their limits leave out repositories that the owner no longer sees
 * @param filter.scopes only tokens with one of these
 * @param filter.repositoryId only tokens that are limited to repositories, among them this one
 */
export async function listTokens(
  db: Db,
  owner: Viewer & { accountId: number },
  filter: { scopes?: readonly GrantedScope[] | undefined; repositoryId?: number | undefined },
  paging: Paging,
): Promise<Page<Token>> {
  const conditions = [
    fragment`t.account_id = ${owner.accountId}`,
    ...(filter.scopes === undefined ? [] : [hasOneOf(filter.scopes)]),
    ...(filter.repositoryId === undefined
      ? []
      : [
          fragment`exists (select 1 from token_repositories x
            where x.token_id = t.id and x.repository_id = ${filter.repositoryId})`,
        ]),
  ];
  const page = await queryPage<TokenRow, TokenRow>(
    db,
    {
      select: raw('t.*'),
      from: fragment`tokens t where ${joined(conditions, ' and ')}`,
      orderBy: raw('t.id'),
    },
    paging,
    (row) => row,
  );
  const limits = page.items.some((row) => row.is_limited === 1) ? await listLimits(db, owner) : new Map();
  return { ...page, items: page.items.map((row) => tokenOf(row, limits.get(row.id) ?? [])) };
}

function hasOneOf(scopes: readonly GrantedScope[]): Fragment {
  const parts = scopes.map((scope) => fragment`',' || t.scopes || ',' like ${`%,${scope},%`}`);
  return fragment`(${joined(parts, ' or ')})`;
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
    expiresAt: number | null;
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
      expires_at: token.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const limits = (repositories ?? []).map(({ id }) => ({ token_id: row.id, repository_id: id }));
  if (limits.length > 0) await tx.insertInto('token_repositories').values(limits).execute();
  return tokenOf(row, repositories ?? []);
}

/** @returns the deleted token; undefined if the account has no such token */
export function deleteTokenById(tx: Tx, accountId: number, id: number): Promise<NamedToken | undefined> {
  return tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(['id', 'name'])
    .executeTakeFirst();
}

export async function setLastUse(tx: Tx, id: number, at: number): Promise<void> {
  await tx.updateTable('tokens').set({ last_used_at: at }).where('id', '=', id).execute();
}

interface EndingRow {
  readonly id: number;
  readonly name: string;
  readonly last_eight: string;
  readonly expires_at: number;
  readonly account_id: number;
  readonly account_name: string;
  readonly email: string;
}

/**
 * Lists tokens that expire within some days, whose owners can read mail and did not get a notice for as many days or
 * fewer. A token that never had as many days left is left out.
 *
 * @param part.from when the tokens expire, ms, not included
 * @param part.to ms, included
 * @param part.after leaves out tokens up to this one
 */
export async function listEnding(
  db: Db,
  part: { days: number; from: number; to: number; after: { expiresAt: number; id: number } },
): Promise<readonly EndingToken[]> {
  const { days, from, to, after } = part;
  const rows = await query<EndingRow>(
    db,
    fragment`select t.id, t.name, t.last_eight, t.expires_at, a.id as account_id, a.name as account_name, a.email
      from tokens t join accounts a on a.id = t.account_id
      where t.expires_at > ${from} and t.expires_at <= ${to} and t.expires_at >= ${after.expiresAt}
        and (t.expires_at > ${after.expiresAt} or t.id > ${after.id})
        and t.created_at < t.expires_at - ${days * DAY_MS}
        and (t.announced_days is null or t.announced_days > ${days})
        and a.is_active = 1 and a.is_login_prohibited = 0 and a.email <> ''
      order by t.expires_at, t.id limit ${TOKEN_LIMITS.endingTokensReadMax}`,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    lastEight: row.last_eight,
    expiresAt: row.expires_at,
    days,
    account: { id: row.account_id, name: row.account_name, email: row.email },
  }));
}

export async function setAnnounced(tx: Tx, id: number, days: number): Promise<void> {
  await tx.updateTable('tokens').set({ announced_days: days }).where('id', '=', id).execute();
}

/** @returns the ids of the deleted tokens */
export async function deleteTokensOf(tx: Tx, accountId: number): Promise<readonly number[]> {
  const rows = await tx.deleteFrom('tokens').where('account_id', '=', accountId).returning('id').execute();
  return rows.map(({ id }) => id);
}

/** @returns the deleted token; undefined if the account has no such token */
export function deleteTokenByName(tx: Tx, accountId: number, name: string): Promise<NamedToken | undefined> {
  return tx
    .deleteFrom('tokens')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .returning(['id', 'name'])
    .executeTakeFirst();
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
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

/** Ignores scopes that this version does not define. */
function scopesOf(stored: string): readonly GrantedScope[] {
  return stored.split(',').filter(isGrantedScope);
}
