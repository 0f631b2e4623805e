import { type GrantedScope, isGrantedScope } from '../../api/access/scopes.ts';
import { BY_PASSWORD, isSignedIn, type SignedIn, type Viewer, viewerOf } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  type Tx,
} from '../../base/database/database.ts';
import { WhileUnchanged } from '../../base/database/while-unchanged.ts';
import { insertEvent } from '../../base/events/store.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import { lockSignIn } from '../accounts/locks.ts';
import type { Account } from '../accounts/model.ts';
import { isPossibleAccountName } from '../accounts/names.ts';
import type { Accounts } from '../accounts/service.ts';
import { TOKEN_CREATED, TOKEN_DELETED, TOKENS_DELETED } from './events.ts';
import { TOKEN_LIMITS } from './limits.ts';
import type {
  Bearer,
  CreatedToken,
  EndingToken,
  NamedToken,
  NewToken,
  RepositoryName,
  Token,
  TokenFilter,
  TokenRepository,
  TokenSettings,
} from './model.ts';
import { digestOf, generateToken, looksLikeToken, type TokenSecretKind } from './secret.ts';
import {
  countTokens,
  deleteTokenById,
  deleteTokenByName,
  deleteTokensOf,
  findBearer,
  findBearerById,
  findNamedRepository,
  insertToken,
  listEnding,
  listTokens,
  setAnnounced,
  setLastUse,
} from './store.ts';

const DAY_MS = 24 * 60 * 60_000;

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokenSettings: TokenSettings;
}

/** How a token is created. */
interface TokenCreation {
  /** null: the operator */
  readonly actorId: number | null;
  /** absent: an access token */
  readonly secretKind?: TokenSecretKind;
  /** begins the transaction */
  readonly first?: (tx: Tx) => Promise<void>;
}

export class Tokens {
  readonly #use: Dependencies;
  /** by the digest of the token */
  readonly #bearers: WhileUnchanged<string, Bearer>;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#bearers = new WhileUnchanged(this.#use.database, {
      entriesMax: ACCOUNT_LIMITS.credentialRowsRememberedMax,
    });
  }

  /** Finds the account of a token; undefined if there is no such token. */
  async findBearer(token: string): Promise<Bearer | undefined> {
    if (!looksLikeToken(token)) return undefined;
    const digest = digestOf(token);
    return this.#bearers.get(digest, () => findBearer(this.#use.database.reader, digest));
  }

  /** Finds the account of a token by the id of its row; undefined if the token was deleted. */
  findBearerById(id: number): Promise<Bearer | undefined> {
    return findBearerById(this.#use.database.reader, id);
  }

  /** @throws ForgeError `unauthenticated`, `not_found`, `forbidden` */
  async list(
    viewer: Viewer,
    ownerName: string,
    paging: Paging,
    { scope, repository }: TokenFilter = {},
  ): Promise<Page<Token>> {
    const owner = await this.#getOwner(viewer, ownerName);
    const { publicOnly, limitedByToken } = viewer;
    // The owner of the tokens may no longer see some of the repositories that they are limited to. The viewer's own
    // token may hide others.
    const sees = { ...viewerOf(owner, BY_PASSWORD), publicOnly, limitedByToken };
    const scopes = scope === undefined ? undefined : grantedBy(scope);
    const repositoryId = repository && (await this.#find(sees, repository));
    if (repositoryId === null) throw notFound('repository');
    return listTokens(this.#use.database.reader, sees, { scopes, repositoryId }, paging);
  }

  /** Records the use of a token. */
  async recordUse(id: number, at: number): Promise<void> {
    await this.#use.database.transaction((tx) => setLastUse(tx, id, at));
  }

  /**
   * Lists tokens about whose end their owners are to get a notice, a bounded number at once.
   *
   * @param days one of `tokenNoticeDays`
   * @param after the last one of the list before; absent: from the beginning
   */
  listEnding(days: number, after = { expiresAt: 0, id: 0 }): Promise<readonly EndingToken[]> {
    const now = currentTimeMs();
    const fewer = TOKEN_LIMITS.tokenNoticeDays.filter((each) => each < days);
    const from = now + Math.max(0, ...fewer) * DAY_MS;
    return listEnding(this.#use.database.reader, { days, from, to: now + days * DAY_MS, after });
  }

  /** Records that the owner of a token got the notice for so many days before its end. */
  async recordNotice({ id, days }: EndingToken): Promise<void> {
    await this.#use.database.transaction((tx) => setAnnounced(tx, id, days));
  }

  /**
   * Creates a token for the viewer or, as an administrator, for another user. A token cannot create tokens, because it
   * could create a stronger one. A session can: the guard has required a recent proof.
   *
   * @throws ForgeError `unauthenticated`, `not_found`, `forbidden`, `invalid`, `bad_request`
   */
  async create(viewer: Viewer, ownerName: string, fields: NewToken): Promise<CreatedToken> {
    if (viewer.credential !== 'password' && viewer.credential !== 'session') {
      throw new ForgeError({ kind: 'unauthenticated', what: 'auth method not allowed' });
    }
    const owner = await this.#getOwner(viewer, ownerName);
    const { accountId: actorId, source } = viewer;
    return this.createFor(owner, fields, {
      actorId,
      // The viewer may have been disabled since the request came.
      first: async (tx) => {
        if (actorId !== null) await lockSignIn(tx, actorId, source?.version);
      },
    });
  }

  /**
   * Creates a token without authorization, for the command line.
   *
   * @throws ForgeError `invalid`, even for a repository that the owner does not see; `bad_request` for an unknown scope
   *   or a name in use
   */
  async createFor(
    owner: Account,
    fields: NewToken,
    { actorId, secretKind = 'access-token', first }: TokenCreation = { actorId: null },
  ): Promise<CreatedToken> {
    if (owner.kind !== 'user') throw invalid(`${owner.name} is an organization: only users have tokens`);
    requireName(fields.name);
    const scopes = grantedScopes(fields.scopes);
    const repositories = await this.#limitOf(owner, fields.repositories);
    const expiresAt = endOf(fields, this.#use.tokenSettings);
    const token = generateToken(secretKind);
    const created = await this.#use.database
      .transaction(async (tx) => {
        await first?.(tx);
        if ((await countTokens(tx, owner.id)) >= TOKEN_LIMITS.tokensPerAccountMax) {
          throw invalid(
            `an account has at most ${TOKEN_LIMITS.tokensPerAccountMax} tokens: delete some first`,
          );
        }
        const inserted = await insertToken(tx, {
          accountId: owner.id,
          name: fields.name,
          digest: digestOf(token),
          lastEight: token.slice(-8),
          scopes,
          repositories,
          expiresAt,
        });
        await insertEvent(tx, TOKEN_CREATED, {
          actorId,
          repositoryId: null,
          payload: { accountId: owner.id, tokenId: inserted.id, name: inserted.name, scopes },
          audit: {
            expiresAt,
            repositories: repositories?.map((each) => `${each.owner}/${each.name}`) ?? null,
          },
        });
        return inserted;
      })
      .catch(rethrowClash);
    return { ...created, token };
  }

  /**
   * Deletes a token of the account by its id or, if no token has that id, by its name.
   *
   * @throws ForgeError `unauthenticated`, `not_found`, `forbidden`
   */
  async delete(viewer: Viewer, ownerName: string, idOrName: string): Promise<void> {
    const owner = await this.#getOwner(viewer, ownerName);
    const id = parseId(idOrName);
    const isPossibleName = isPlainLine(idOrName);
    await this.#use.database.transaction(async (tx) => {
      const byId = id === undefined ? undefined : await deleteTokenById(tx, owner.id, id);
      const isNamed = byId === undefined && isPossibleName;
      const deleted = isNamed ? await deleteTokenByName(tx, owner.id, idOrName) : byId;
      await announceDeleted(tx, { actorId: viewer.accountId, accountId: owner.id, deleted });
    });
  }

  /** Deletes the token with which a request came. */
  async end(viewer: SignedIn, id: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const { accountId } = viewer;
      const deleted = await deleteTokenById(tx, accountId, id);
      await announceDeleted(tx, { actorId: accountId, accountId, deleted });
    });
  }

  /** Deletes all tokens of an account, on its own behalf. */
  async deleteAll(tx: Tx, accountId: number): Promise<void> {
    const tokenIds = await deleteTokensOf(tx, accountId);
    if (tokenIds.length === 0) return;
    const payload = { accountId, tokenIds };
    await insertEvent(tx, TOKENS_DELETED, { actorId: accountId, repositoryId: null, payload });
  }

  /**
   * Looks up the repositories of a limited token.
   *
   * @returns null for no limit
   * @throws ForgeError `invalid` if the owner does not see one of them
   */
  async #limitOf(
    owner: Account,
    paths: readonly RepositoryName[] | undefined,
  ): Promise<readonly TokenRepository[] | null> {
    if (paths === undefined) return null;
    if (paths.length === 0)
      throw invalid('[Repositories]: must name a repository; leave the field out for no limit');
    if (paths.length > TOKEN_LIMITS.repositoriesPerTokenMax)
      throw invalid(`[Repositories]: MaxSize(${TOKEN_LIMITS.repositoriesPerTokenMax})`);
    const viewer = viewerOf(owner, BY_PASSWORD);
    const found = new Map<number, TokenRepository>();
    for (const path of paths) {
      const repository = await this.#findNamed(viewer, path);
      if (repository === undefined) throw invalid('[Repositories]: the repository does not exist');
      found.set(repository.id, repository);
    }
    return [...found.values()];
  }

  async #find(viewer: Viewer, path: RepositoryName): Promise<number | null> {
    return (await this.#findNamed(viewer, path))?.id ?? null;
  }

  async #findNamed(viewer: Viewer, path: RepositoryName): Promise<TokenRepository | undefined> {
    const isPossible = isPossibleAccountName(path.owner) && isPlainLine(path.name);
    return isPossible ? findNamedRepository(this.#use.database.reader, viewer, path) : undefined;
  }

  async #getOwner(viewer: Viewer, name: string): Promise<Account> {
    if (!isSignedIn(viewer)) throw new ForgeError({ kind: 'unauthenticated', what: 'token is required' });
    const owner = await this.#use.accounts.getByName(viewer, name);
    if (owner.id !== viewer.accountId && !viewer.isAdmin) {
      throw forbidden('only the account itself and site administrators may manage its tokens');
    }
    return owner;
  }
}

/** @throws ForgeError `not_found` if no token was deleted */
async function announceDeleted(
  tx: Tx,
  {
    actorId,
    accountId,
    deleted,
  }: { actorId: number | null; accountId: number; deleted: NamedToken | undefined },
): Promise<void> {
  if (deleted === undefined) throw notFound('token');
  const payload = { accountId, tokenId: deleted.id, name: deleted.name };
  await insertEvent(tx, TOKEN_DELETED, { actorId, repositoryId: null, payload });
}

/** @throws ForgeError `invalid` */
function requireName(name: string): void {
  if (name === '') throw invalid('[Name]: Required');
  if (name.length > TOKEN_LIMITS.tokenNameCharsMax)
    throw invalid(`[Name]: MaxSize(${TOKEN_LIMITS.tokenNameCharsMax})`);
  if (!isPlainLine(name)) throw invalid('[Name]: must be one line without control characters');
}

/**
 * Returns when a new token expires, ms; null: never.
 *
 * @throws ForgeError `invalid` for a time in the past, or later than the settings allow
 */
function endOf({ expiresAt }: NewToken, { lifetimeMsMax }: TokenSettings): number | null {
  const now = currentTimeMs();
  if (expiresAt === undefined) return lifetimeMsMax === null ? null : now + lifetimeMsMax;
  if (expiresAt <= now) throw invalid('[ExpiresAt]: must be in the future');
  if (lifetimeMsMax !== null && expiresAt > now + lifetimeMsMax)
    throw invalid(`[ExpiresAt]: a token lasts at most ${lifetimeMsMax / DAY_MS} days on this server`);
  return expiresAt;
}

/** Returns the scopes of which a token needs one to have a scope. @throws ForgeError `bad_request` */
function grantedBy(scope: string): readonly GrantedScope[] {
  const [wanted] = grantedScopes([scope]);
  if (wanted === undefined || wanted === 'all') return ['all'];
  if (!wanted.includes(':')) return [wanted];
  return grantedScopes([wanted, wanted.replace(/^read:/, 'write:'), 'all']);
}

/** @throws ForgeError `bad_request` */
function grantedScopes(words: readonly string[]): readonly GrantedScope[] {
  const granted = [...new Set(words)].filter((word) => word !== '');
  const unknown = granted.find((word) => !isGrantedScope(word));
  if (unknown !== undefined) {
    throw new ForgeError({ kind: 'bad_request', what: `invalid access token scope: ${unknown}` });
  }
  return granted.filter(isGrantedScope);
}

function rethrowClash(error: unknown): never {
  // The account or one of the repositories was deleted after it was looked up.
  if (isForeignKeyViolation(error)) throw notFound('account or repository');
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'bad_request', what: 'access token name has been used already' },
    { cause: error },
  );
}
