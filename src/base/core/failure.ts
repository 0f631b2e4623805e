/**
 * HTTP status of each kind of failure. A wire in `http/errors/` lists the few statuses that differ there. A route lists
 * the statuses that differ from its wire (`config.statusOf`).
 */
export const FAILURE_STATUS = {
  /** Missing, or hidden from the caller. No wire distinguishes these cases. */
  not_found: 404,
  /** The request lacks credentials, or they are wrong. */
  unauthenticated: 401,
  /** The caller is known and sees the resource, but lacks the right to do this. */
  forbidden: 403,
  /** The current state does not allow it: a repository has this name, a second fork, a second transfer. */
  conflict: 409,
  /** Another resource has the name: rename, file, branch, account, team. */
  already_exists: 409,
  /** The request is well-formed, but cannot be done. */
  invalid: 422,
  /** The body does not have the form that the route takes. */
  malformed: 400,
  /** The request makes no sense, apart from the form of its body. */
  bad_request: 400,
  /** The change is based on a version that is not the current one. */
  precondition_failed: 412,
  /** The path has routes for other methods. */
  method_not_allowed: 405,
  unsupported_media_type: 415,
  /** The request names a host at which this server does not answer. */
  misdirected: 421,
  archived: 403,
  too_large: 413,
  /** The body of the request arrives too slowly. */
  too_slow: 408,
  too_many_attempts: 429,
  /** The server is at a limit, or cannot read something now. The caller should try again. */
  busy: 503,
  /** A disk of the server is full. */
  insufficient_storage: 507,
} as const;

export type FailureKind = keyof typeof FAILURE_STATUS;

/** Fields of a failure in addition to its text. */
interface Details {
  /** `isShown`: the caller sees everything that the text is about, so the response may contain it. */
  readonly not_found: { readonly isShown?: true };
  /**
   * `account`: the account itself is denied, whatever it does. `password`: until it has a new password. `code`: the
   * caller may not read the code. `protected`: a protection of a branch or tag denies it.
   */
  readonly forbidden: { readonly reason?: 'account' | 'password' | 'code' | 'protected' };
  readonly invalid: { readonly topics?: readonly string[] };
  /** `quota`: the request is small enough, but its owner has no more room. */
  readonly too_large: { readonly reason?: 'quota' };
  readonly too_many_attempts: { readonly retryAfterSeconds: number };
  readonly busy: { readonly retryAfterSeconds: number };
}

/** Why an operation failed, in domain terms. `what` is the text for the caller, on wires that have one. */
export type Failure = {
  [Kind in FailureKind]: { readonly kind: Kind; readonly what: string } & (Kind extends keyof Details
    ? Details[Kind]
    : unknown);
}[FailureKind];

/** The only error that services throw on purpose. Any other error is a fault of the server. */
export class ForgeError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: { cause?: unknown }) {
    super(failure.what, options);
    this.name = 'ForgeError';
    this.failure = failure;
  }
}

/**
 * The resource has another name now, and the caller may see it. Wires with redirects send the caller there; on other
 * wires it is missing.
 */
export class MovedError extends ForgeError {
  /** the names in the request, in order, each with the current name */
  readonly names: readonly Renamed[];

  constructor(what: string, ...names: readonly Renamed[]) {
    super({ kind: 'not_found', what });
    this.names = names;
  }
}

interface Renamed {
  readonly from: string;
  readonly to: string;
}

export function notFound(what: string): ForgeError {
  return new ForgeError({ kind: 'not_found', what });
}

export function invalid(what: string, options?: { cause?: unknown }): ForgeError {
  return new ForgeError({ kind: 'invalid', what }, options);
}

export function malformed(what: string): ForgeError {
  return new ForgeError({ kind: 'malformed', what });
}

export function forbidden(what: string): ForgeError {
  return new ForgeError({ kind: 'forbidden', what });
}
