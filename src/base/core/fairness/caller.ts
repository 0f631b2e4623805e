import { AsyncLocalStorage } from 'node:async_hooks';
import { CORE_LIMITS } from '../limits.ts';
import { createCountedCache } from '../sized-cache.ts';
import { addressGroup } from './address-group.ts';

/** The client that the current work is done for. Bounded resources are shared between callers, not between requests. */
export interface Caller {
  /**
   * equal for all requests that share one part of a resource: the requests of an account, or anonymous requests of a
   * network
   */
  readonly share: string;
  /**
   * group of shares that takes turns with other groups, however many shares it has; absent: the lane of most requests
   */
  readonly lane?: string;
  /** part of the share that takes turns with its other parts; absent: the share has one part */
  readonly part?: string;
  /** anonymous callers cannot use the reserve for callers that signed in */
  readonly isAnonymous: boolean;
  /** true for the server itself, which no share limits */
  readonly isServer: boolean;
  /** fires when the client leaves, so that its work can stop; undefined if the caller cannot leave */
  readonly left?: AbortSignal;
  /** absent: no one request or command brought the work */
  readonly origin?: Origin;
}

/** The credential of a request, without a secret. */
export interface CallerCredential {
  readonly kind: 'none' | 'password' | 'token' | 'session' | 'ssh-key' | 'deploy-key' | 'oauth' | 'proxy';
  /** of the token, the session, the key or the grant; null: it is none of these */
  readonly id: number | null;
  /** the site administrator who acts as the account; null: no one does */
  readonly administratorId: number | null;
}

/** Where work comes from, for the audit log: a request, or a command on a machine that has the data. */
export type Origin =
  | { readonly kind: 'command-line' }
  | {
      readonly kind: 'request';
      /** of the client, as reported by trusted proxies */
      readonly address: string;
      readonly requestId: string;
      readonly credential: CallerCredential;
    };

/**
 * Why the work of a request ends early. Created once, because an error created when a client leaves would retain the
 * response in memory.
 */
export const CLIENT_LEFT = new DOMException('the client has left', 'AbortError');
const GONE = AbortSignal.abort(CLIENT_LEFT);

const SERVER: Caller = { share: 'server', isAnonymous: false, isServer: true };
/** A command has no share either. */
export const COMMAND_LINE: Caller = { ...SERVER, origin: { kind: 'command-line' } };
const NO_CREDENTIAL: CallerCredential = { kind: 'none', id: null, administratorId: null };

const current = new AsyncLocalStorage<Caller | undefined>();

/** Returns the caller of the running request; the server itself for jobs and other work without a request. */
export function currentCaller(): Caller {
  return current.getStore() ?? SERVER;
}

/** Whether the current work belongs to one request, or is shared by several requests. */
export function isForRequest(): boolean {
  return current.getStore() !== undefined;
}

/** Runs `work`, and everything that it awaits, for a caller. */
export function runFor<T>(caller: Caller, work: () => T): T {
  return current.run(caller, work);
}

/** Returns the current caller for work that several callers share. The work does not end when this caller leaves. */
export function callerThatStays(): Caller {
  const { share, lane, part, isAnonymous, isServer } = currentCaller();
  const parts = { ...(lane === undefined ? {} : { lane }), ...(part === undefined ? {} : { part }) };
  return { share, isAnonymous, isServer, ...parts };
}

/**
 * Runs work whose result several callers share, so that it does not end when the first caller leaves. Outside of
 * requests, the work has no caller, as before.
 */
export function runForServer<T>(work: () => T): T {
  return isForRequest() ? current.run(SERVER, work) : work();
}

/** Runs deferred work outside the request that plans it, so that the work counts for the server. */
export function runOutsideRequest<T>(work: () => T): T {
  return current.run(undefined, work);
}

/**
 * Remembers which accounts used their credentials in which networks. git sends no credentials to a public repository,
 * so the clones of members are anonymous. Their networks distinguish them from strangers.
 */
export class FamiliarNetworks {
  /** account of each network, or `several` */
  readonly #accounts = createCountedCache<string, number | 'several'>({
    entriesMax: CORE_LIMITS.familiarNetworksMax,
    ttlMs: CORE_LIMITS.networkFamiliarMs,
  });

  remember(network: string, accountId: number): void {
    const known = this.#accounts.get(network);
    this.#accounts.set(network, known === undefined || known === accountId ? accountId : 'several');
  }

  /**
   * Returns the share of anonymous requests from a familiar network. All networks that only one account uses have one
   * share, so an account gains nothing by using many.
   */
  shareOf(network: string): string | undefined {
    const account = this.#accounts.get(network);
    if (account === undefined) return undefined;
    return account === 'several' ? `network ${network}` : `networks of account ${account}`;
  }
}

/** The caller of one request: its network, until a credential is accepted, and then its account. */
export class RequestCaller implements Caller {
  readonly isServer = false;
  /** network of the client, whether it is signed in or not */
  readonly network: string;
  #watch: () => AbortSignal;
  readonly #familiar: FamiliarNetworks;
  readonly #address: string;
  readonly #requestId: string;
  #accountId: number | null = null;
  #credential: CallerCredential = NO_CREDENTIAL;
  #left: AbortSignal | undefined;

  /**
   * @param address of the client, as reported by trusted proxies
   * @param watch returns a signal that fires when the client leaves; called at most once
   * @param familiar the networks that all callers of a server share
   * @param requestId as in the log
   */
  constructor(address: string, watch: () => AbortSignal, familiar = new FamiliarNetworks(), requestId = '') {
    this.network = addressGroup(address);
    this.#address = address;
    this.#requestId = requestId;
    this.#watch = watch;
    this.#familiar = familiar;
  }

  get share(): string {
    if (this.#accountId !== null) return `account ${this.#accountId}`;
    return this.#familiar.shareOf(this.network) ?? `network ${this.network}`;
  }

  get lane(): string {
    return this.isAnonymous ? 'stranger' : 'familiar';
  }

  /** Anonymous requests from a network where an account has signed in count as signed in. */
  get isAnonymous(): boolean {
    return this.#accountId === null && this.#familiar.shareOf(this.network) === undefined;
  }

  get left(): AbortSignal {
    this.#left ??= this.#watch();
    return this.#left;
  }

  get origin(): Origin {
    const [address, requestId, credential] = [this.#address, this.#requestId, this.#credential];
    return { kind: 'request', address, requestId, credential };
  }

  /**
   * Drops references to the request, because work that outlives it, such as an open git process, retains the caller.
   */
  end(): void {
    this.#left = undefined;
    this.#watch = () => GONE;
  }

  /** @param accountId null for an anonymous caller */
  identify(accountId: number | null, credential: CallerCredential = NO_CREDENTIAL): void {
    this.#accountId = accountId;
    this.#credential = credential;
    if (accountId !== null) this.#familiar.remember(this.network, accountId);
  }
}
