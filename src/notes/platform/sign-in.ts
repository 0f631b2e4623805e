import { randomBytes } from 'node:crypto';
import type { SignedIn } from '../../api/access/viewer.ts';
import { type FailureKind, ForgeError, forbidden, isFailure, notFound } from '../../base/core/failure.ts';
import { Allowance } from '../../base/core/fairness/allowance.ts';
import { digestOfSecret } from '../../base/core/secrets.ts';
import { withoutControls } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { lockSignIn } from '../../people/accounts/locks.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { lockViewer } from '../../people/sessions/locks.ts';
import type { Tokens } from '../../people/tokens/service.ts';
import { PLATFORM_LIMITS } from './limits.ts';
import {
  type AppPassword,
  appPasswordScopes,
  type DeviceGrant,
  type SignInRequest,
  type StartedSignIn,
} from './model.ts';
import {
  deleteGrantedSignIns,
  deleteSignIn,
  deleteSignInsBefore,
  findGrantedSignIn,
  findOpenSignIn,
  grantSignIn,
  insertSignIn,
} from './store.ts';

/** What a user chooses on the page. */
export interface DeviceChoice {
  /** name of the device; '' for the client's own */
  readonly device: string;
  /** whether the app password is only for notes */
  readonly notesOnly: boolean;
}

const TOKEN_BYTES = 48;
/** Random bytes in the name of a second device with the same name. */
const NAME_BYTES = 4;

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
}

/**
 * Gives clients an app password, so that no device has the user's own. A client starts a request and opens its page in a
 * browser; the user signs in there and grants it; the client, which polls meanwhile, receives the app password once.
 */
export class DeviceSignIn {
  readonly #use: Dependencies;
  readonly #started = new Allowance({
    what: 'requests to sign in',
    unitsMax: PLATFORM_LIMITS.signInRequestsPerPeriodMax,
    periodMs: PLATFORM_LIMITS.signInRequestMs,
    callersRememberedMax: PLATFORM_LIMITS.signInCallersRememberedMax,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Starts a request of a client.
   *
   * @throws ForgeError `busy` for too many requests of one network
   */
  async start(userAgent: string): Promise<StartedSignIn> {
    this.#started.spend(1);
    const pollToken = randomBytes(TOKEN_BYTES).toString('hex');
    const pageToken = randomBytes(TOKEN_BYTES).toString('hex');
    const client = deviceName(userAgent);
    const createdAt = currentTimeMs();
    await this.#use.database.transaction(async (tx) => {
      await deleteSignInsBefore(tx, createdAt - PLATFORM_LIMITS.signInRequestMs);
      await insertSignIn(tx, {
        pollDigest: digestOfSecret(pollToken),
        pageDigest: digestOfSecret(pageToken),
        client,
        createdAt,
      });
    });
    return { pollToken, pageToken };
  }

  /** @throws ForgeError `not_found` for a request that is unknown, too old or granted */
  async find(pageToken: string): Promise<SignInRequest> {
    const found = await findOpenSignIn(this.#use.database.reader, digestOfSecret(pageToken), oldest());
    if (found === undefined) throw notFound('request to sign in');
    return found;
  }

  /**
   * Grants a request as a user who has signed in.
   *
   * @throws ForgeError as `find` and `requireOwner`; `unauthenticated` if the account changes at the same time
   */
  async grant(viewer: SignedIn, pageToken: string, choice: DeviceChoice): Promise<void> {
    requireOwner(viewer);
    const request = await this.find(pageToken);
    const { accountId } = viewer;
    const device = deviceName(choice.device === '' ? request.client : choice.device);
    const isGranted = await this.#use.database.transaction(async (tx) => {
      await lockViewer(tx, viewer);
      return grantSignIn(tx, request.id, { accountId, device, notesOnly: choice.notesOnly });
    });
    if (!isGranted) throw notFound('request to sign in');
  }

  /** Returns the app password of a granted request, once; undefined before. */
  async poll(pollToken: string): Promise<AppPassword | undefined> {
    const found = await findGrantedSignIn(this.#use.database.reader, digestOfSecret(pollToken), oldest());
    if (found === undefined) return undefined;
    try {
      return await this.#make(found, (tx) => useGrant(tx, found));
    } catch (error) {
      if (error instanceof ForgeError && GRANT_ENDED.has(error.failure.kind)) return undefined;
      throw error;
    }
  }

  /** Ends the requests that a user has granted whose sign-ins end. */
  async endGranted(tx: Tx, accountId: number): Promise<void> {
    await deleteGrantedSignIns(tx, accountId);
  }

  /**
   * Makes an app password at once, for clients that get it as the address of the next page.
   *
   * @throws ForgeError as `grant`
   */
  async connect(viewer: SignedIn, choice: DeviceChoice): Promise<AppPassword> {
    requireOwner(viewer);
    const { accountId } = viewer;
    const grant = { accountId, device: deviceName(choice.device), notesOnly: choice.notesOnly };
    return this.#make(grant, (tx) => lockViewer(tx, viewer));
  }

  /**
   * Makes an app password for a client that has signed in with the user's own password.
   *
   * @throws ForgeError `forbidden` for a client that has one already
   */
  async convert(viewer: SignedIn, userAgent: string): Promise<AppPassword> {
    if (viewer.credential !== 'password') throw forbidden('this is an app password already');
    const { accountId } = viewer;
    const grant = { accountId, device: deviceName(userAgent), notesOnly: false };
    return this.#make(grant, (tx) => lockViewer(tx, viewer));
  }

  /**
   * Ends the app password of a request.
   *
   * @throws ForgeError `forbidden` for the user's own password
   */
  async revoke(viewer: SignedIn): Promise<void> {
    if (viewer.source?.kind !== 'token') throw forbidden('this is not an app password');
    await this.#use.tokens.end(viewer, viewer.source.tokenId);
  }

  /** @param first begins the transaction that creates the app password, and checks that it may */
  async #make(
    { accountId, device, notesOnly }: DeviceGrant,
    first: (tx: Tx) => Promise<void>,
  ): Promise<AppPassword> {
    const account = await this.#use.accounts.get(accountId);
    const scopes = appPasswordScopes({ notesOnly });
    const options = { actorId: account.id, secretKind: 'app-password', first } as const;
    try {
      const { token } = await this.#use.tokens.createFor(account, { name: device, scopes }, options);
      return { loginName: account.name, password: token };
    } catch (error) {
      const isTaken = isFailure(error, 'bad_request');
      if (!isTaken) throw error;
      // Two devices of one name may sign in at the same time.
      const name = `${device} ${new Date(currentTimeMs()).toISOString()} ${randomBytes(NAME_BYTES).toString('hex')}`;
      const { token } = await this.#use.tokens.createFor(account, { name, scopes }, options);
      return { loginName: account.name, password: token };
    }
  }
}

/**
 * Requires the user, and not a program of the user: an app password would otherwise make others, which stay when it is
 * revoked.
 *
 * @throws ForgeError `forbidden`
 */
export function requireOwner({ credential }: SignedIn): void {
  if (credential === 'token') throw forbidden('sign in with your own password');
}

/** How a grant fails that has been used, or whose account has changed since it was found. */
const GRANT_ENDED: ReadonlySet<FailureKind> = new Set(['not_found', 'unauthenticated']);

/**
 * Uses a grant, once. Locks the account first, as every change of it does.
 *
 * @throws ForgeError of a kind in `GRANT_ENDED`
 */
async function useGrant(tx: Tx, { id, accountId }: { id: number; accountId: number }): Promise<void> {
  await lockSignIn(tx, accountId);
  if (!(await deleteSignIn(tx, id))) throw notFound('request to sign in');
}

function oldest(): number {
  return currentTimeMs() - PLATFORM_LIMITS.signInRequestMs;
}

/** Returns one line that names a device. */
function deviceName(text: string): string {
  const line = withoutControls(text).slice(0, PLATFORM_LIMITS.deviceNameCharsMax).trim();
  return line === '' ? 'A device' : line;
}
