/** The kinds of failure. `http/errors/status.ts` has the HTTP status of each. */
export type FailureKind =
  /** Missing, or hidden from the caller. No wire distinguishes these cases. */
  | 'not_found'
  /** The request lacks credentials, or they are wrong. */
  | 'unauthenticated'
  /** The caller is known and sees the resource, but lacks the right to do this. */
  | 'forbidden'
  /** The current state does not allow it: a repository has this name, a second fork, a second transfer. */
  | 'conflict'
  /** Another resource has the name: rename, file, branch, account, team. */
  | 'already_exists'
  /** The request is well-formed, but cannot be done. */
  | 'invalid'
  /** The body does not have the form that the route takes. */
  | 'malformed'
  /** The request makes no sense, apart from the form of its body. */
  | 'bad_request'
  /** The change is based on a version that is not the current one. */
  | 'precondition_failed'
  /** The request continues from something that is no longer kept. */
  | 'expired'
  /** The path has routes for other methods. */
  | 'method_not_allowed'
  | 'unsupported_media_type'
  /** The request names a host at which this server does not answer. */
  | 'misdirected'
  | 'archived'
  | 'too_large'
  /** The body of the request arrives too slowly. */
  | 'too_slow'
  | 'too_many_attempts'
  /** The server is at a limit, or cannot read something now. The caller should try again. */
  | 'busy'
  /** A disk of the server is full. */
  | 'insufficient_storage';

/** Fields of a failure in addition to its text. */
interface Details {
  /** `say`: a sentence for a caller who sees everything that it is about, so that a response may contain it */
  readonly not_found: { readonly say?: string };
  /**
   * `second-factor`: the password is right, but the account needs more than that. `passwords-off`: this server takes no
   * passwords.
   */
  readonly unauthenticated: { readonly reason?: 'second-factor' | 'passwords-off' };
  /**
   * `account`: the account itself is denied, whatever it does. `password`: until it has a new password. `code`: the
   * caller may not read the code. `protected`: a protection of a branch or tag denies it. `proof`: until the user of the
   * browser has proved again who they are. `second-factor`: until the account has one.
   */
  readonly forbidden: {
    readonly reason?: 'account' | 'password' | 'code' | 'protected' | 'proof' | 'second-factor';
  };
  readonly invalid: { readonly topics?: readonly string[] };
  /** `oauth`: the code of the error on the wire of OAuth2, where it says more than the kind */
  readonly bad_request: { readonly oauth?: OAuthErrorCode };
  /** `quota`: the request is small enough, but its owner has no more room. */
  readonly too_large: { readonly reason?: 'quota' };
  readonly too_many_attempts: { readonly retryAfterSeconds: number };
  readonly busy: { readonly retryAfterSeconds: number };
}

/** @see RFC 6749, section 5.2 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type';

/**
 * Why an operation failed, in domain terms. `what` is the text for the caller, on wires that have one. If something is
 * missing, `what` only names it, such as `repository`.
 */
export type Failure = {
  [Kind in FailureKind]: { readonly kind: Kind; readonly what: string } & (Kind extends keyof Details
    ? Details[Kind]
    : unknown);
}[FailureKind];

/** The only error that services throw on purpose. Any other error is a fault of the server. */
export class ForgeError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: { cause?: unknown }) {
    super(messageOf(failure), options);
    this.name = 'ForgeError';
    this.failure = failure;
  }
}

/** Whether an error is a failure of one of these kinds. */
export function isFailure(error: unknown, ...kinds: readonly FailureKind[]): error is ForgeError {
  return error instanceof ForgeError && kinds.includes(error.failure.kind);
}

/** Returns a handler for `catch` that makes undefined of failures of these kinds, and throws other errors again. */
export function undefinedIf(...kinds: readonly FailureKind[]): (error: unknown) => undefined {
  return (error) => {
    if (!isFailure(error, ...kinds)) throw error;
  };
}

function messageOf(failure: Failure): string {
  if (failure.kind !== 'not_found') return failure.what;
  return failure.say ?? `${failure.what} not found`;
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

/**
 * @param noun names what is missing
 * @param options.say a sentence for a caller who sees everything that it is about
 */
export function notFound(noun: string, options?: { say: string }): ForgeError {
  return new ForgeError({ kind: 'not_found', what: noun, ...options });
}

export function invalid(what: string, options?: { cause?: unknown }): ForgeError {
  return new ForgeError({ kind: 'invalid', what }, options);
}

export function malformed(what: string): ForgeError {
  return new ForgeError({ kind: 'malformed', what });
}

export function conflict(what: string): ForgeError {
  return new ForgeError({ kind: 'conflict', what });
}

export function forbidden(what: string): ForgeError {
  return new ForgeError({ kind: 'forbidden', what });
}
