import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { digestOfSecret, generateOpaqueSecret, isOpaqueSecret } from '../../base/core/secrets.ts';
import { Signal } from '../../base/core/signal.ts';
import { withoutControls } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { WhileUnchanged } from '../../base/database/while-unchanged.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockSignIn, lockUser } from '../accounts/locks.ts';
import type { SignInState } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { SESSION_ENDED, SESSION_STARTED, SESSIONS_ENDED } from './events.ts';
import { SESSION_LIMITS } from './limits.ts';
import type { Browser, Proof, Session, SessionBearer, StartedSession } from './model.ts';
import {
  deleteEndedSessions,
  deleteLeastRecent,
  deleteSession,
  deleteSessionsOf,
  findBearer,
  findBearerById,
  insertSession,
  listSessions,
  setProved,
  setSeen,
} from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
}

/** Browsers that have signed in. Each has a secret in a cookie, and a row, so that all processes agree. */
export class Sessions {
  /** An administrator has ended all sessions of a user: what was granted in them ends, too. */
  readonly endedByAdministrator = new Signal<
    [tx: Tx, ended: { readonly accountId: number; readonly actorId: number }]
  >();
  readonly #use: Dependencies;
  /** by the digest of the secret */
  readonly #bearers: WhileUnchanged<string, SessionBearer>;
  /** requests that are being recorded, by session */
  readonly #recording = new Map<number, Promise<void>>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#bearers = new WhileUnchanged(this.#use.database, {
      entriesMax: SESSION_LIMITS.sessionsRememberedMax,
    });
  }

  /** Finds the session of a secret; undefined if there is none, if it has ended, or if its account has changed since. */
  async find(secret: string): Promise<SessionBearer | undefined> {
    if (!isOpaqueSecret(secret)) return undefined;
    const digest = digestOfSecret(secret);
    return ifCurrent(await this.#bearers.get(digest, () => findBearer(this.#use.database.reader, digest)));
  }

  /** Finds a session by the id of its row; undefined as for `find`. */
  async findById(id: number): Promise<SessionBearer | undefined> {
    return ifCurrent(await findBearerById(this.#use.database.reader, id));
  }

  /**
   * Begins a session of an account that has proved who it is. The secret is always a new one, so a secret that someone
   * else has put into the browser is worth nothing.
   *
   * @param account as it was when it proved who it is
   * @throws ForgeError `unauthenticated` if the account has changed since
   */
  async start(
    tx: Tx,
    account: Pick<SignInState, 'id' | 'credentialVersion'>,
    { browser, proofs }: { readonly browser: Browser; readonly proofs: readonly Proof[] },
  ): Promise<StartedSession> {
    const now = currentTimeMs();
    const { id: accountId, credentialVersion: version } = account;
    await lockSignIn(tx, accountId, version);
    await deleteEndedSessions(tx, now);
    await deleteLeastRecent(tx, accountId, SESSION_LIMITS.sessionsPerAccountMax - 1);
    const secret = generateOpaqueSecret();
    const { isRemembered } = browser;
    const id = await insertSession(tx, {
      accountId,
      version,
      digest: digestOfSecret(secret),
      isRemembered,
      proofs,
      userAgent: withoutControls(browser.userAgent).slice(0, SESSION_LIMITS.userAgentCharsMax),
      address: browser.address,
      createdAt: now,
      provedAt: now,
      seenAt: now,
      endsAt: endOf({ isRemembered, createdAt: now }, now),
    });
    const payload = { accountId, sessionId: id, proofs };
    await insertEvent(tx, SESSION_STARTED, { actorId: accountId, repositoryId: null, payload });
    return { id, secret, isRemembered };
  }

  /** Records a request of a session. No request waits for this or fails with it. */
  recordSeen({ id, seenAt, ...session }: Session, address: string): void {
    const at = currentTimeMs();
    if (at - seenAt < SESSION_LIMITS.seenLagMs || this.#recording.has(id)) return;
    const seen = { at, address, endsAt: endOf(session, at) };
    const recording = this.#use.database
      .transaction((tx) => setSeen(tx, id, seen))
      .catch(() => {})
      .finally(() => this.#recording.delete(id));
    this.#recording.set(id, recording);
  }

  /** Waits for background writes. */
  async waitForWrites(): Promise<void> {
    await Promise.all(this.#recording.values());
  }

  /**
   * Records that the user of a session has proved again who they are. The session has another secret from now on.
   *
   * @throws ForgeError `unauthenticated` if the session has ended
   */
  async prove(session: Pick<Session, 'id' | 'isRemembered'>): Promise<StartedSession> {
    const secret = generateOpaqueSecret();
    const proved = { digest: digestOfSecret(secret), at: currentTimeMs() };
    const isThere = await this.#use.database.transaction((tx) => setProved(tx, session.id, proved));
    if (!isThere) throw new ForgeError({ kind: 'unauthenticated', what: 'the session has ended: sign in' });
    return { id: session.id, secret, isRemembered: session.isRemembered };
  }

  /** Lists the viewer's own sessions, the most recently used first. */
  list(viewer: SignedIn, paging: Paging): Promise<Page<Session>> {
    return this.#list(viewer.accountId, paging);
  }

  /** Lists the sessions of a user, for site administrators. @throws ForgeError `not_found`, `invalid` */
  async listOf(viewer: Viewer, name: string, paging: Paging): Promise<Page<Session>> {
    return this.#list((await this.#userNamed(viewer, name)).id, paging);
  }

  /** Ends one of the viewer's own sessions. @throws ForgeError `not_found` */
  async end(viewer: SignedIn, id: number): Promise<void> {
    await this.#end(viewer.accountId, id, viewer.accountId);
  }

  /** Ends a session of a user, for site administrators. @throws ForgeError `not_found`, `invalid` */
  async endOf(viewer: SignedIn, name: string, id: number): Promise<void> {
    await this.#end((await this.#userNamed(viewer, name)).id, id, viewer.accountId);
  }

  /** Ends all sessions of the viewer, except the one that the request came with. */
  async endOthers(viewer: SignedIn): Promise<void> {
    const exceptId = viewer.source?.kind === 'session' ? viewer.source.sessionId : null;
    const { accountId } = viewer;
    await this.#use.database.transaction((tx) =>
      this.endAll(tx, accountId, { actorId: accountId, exceptId }),
    );
  }

  /**
   * Ends all sessions of a user, and what was granted in them, for site administrators.
   *
   * @throws ForgeError `not_found`, `invalid`
   */
  async endAllOf(viewer: SignedIn, name: string): Promise<void> {
    const { id: accountId } = await this.#userNamed(viewer, name);
    const { accountId: actorId } = viewer;
    await this.#use.database.transaction(async (tx) => {
      // What a session grants locks the account, too, and then looks for its session.
      await lockUser(tx, accountId);
      await this.endAll(tx, accountId, { actorId });
      await this.endedByAdministrator.notify(tx, { accountId, actorId });
    });
  }

  /** @param options.exceptId of a session that goes on */
  async endAll(
    tx: Tx,
    accountId: number,
    { actorId, exceptId = null }: { readonly actorId: number | null; readonly exceptId?: number | null },
  ): Promise<void> {
    if (!(await deleteSessionsOf(tx, accountId, exceptId))) return;
    const payload = { accountId, exceptId };
    await insertEvent(tx, SESSIONS_ENDED, { actorId, repositoryId: null, payload });
  }

  #list(accountId: number, paging: Paging): Promise<Page<Session>> {
    return listSessions(this.#use.database.reader, { accountId, now: currentTimeMs() }, paging);
  }

  async #end(accountId: number, id: number, actorId: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      if (!(await deleteSession(tx, accountId, id))) throw notFound('session');
      const payload = { accountId, sessionId: id };
      await insertEvent(tx, SESSION_ENDED, { actorId, repositoryId: null, payload });
    });
  }

  async #userNamed(viewer: Viewer, name: string): Promise<{ readonly id: number }> {
    const account = await this.#use.accounts.getByName(viewer, name);
    if (account.kind !== 'user') throw invalid(`${account.name} is an organization: only users sign in`);
    return account;
  }
}

function ifCurrent(found: SessionBearer | undefined): SessionBearer | undefined {
  if (found === undefined || found.version !== found.account.credentialVersion) return undefined;
  return found.session.endsAt > currentTimeMs() ? found : undefined;
}

/** Returns when a session ends, ms, if its browser sends nothing after `seenAt`. */
function endOf(
  { isRemembered, createdAt }: Pick<Session, 'isRemembered' | 'createdAt'>,
  seenAt: number,
): number {
  const { idleMs, lifetimeMs, rememberedIdleMs, rememberedLifetimeMs } = SESSION_LIMITS;
  return isRemembered
    ? Math.min(seenAt + rememberedIdleMs, createdAt + rememberedLifetimeMs)
    : Math.min(seenAt + idleMs, createdAt + lifetimeMs);
}
