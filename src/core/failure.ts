/** What went wrong, in the forge's own terms. `http/errors/` maps each kind once for each wire. */
export type Failure =
  /** Missing, or hidden from the caller: the two are never told apart. */
  | { readonly kind: 'not_found'; readonly what: string }
  /** No credentials where some are needed. */
  | { readonly kind: 'unauthenticated'; readonly why: string }
  /** Credentials were sent, and they are wrong. */
  | { readonly kind: 'bad_credentials'; readonly why: string }
  /** The caller is known and sees the thing, but may not do this with it. */
  | { readonly kind: 'forbidden'; readonly why: string }
  /** The caller is known and may not act at all: a disabled account, or acting as somebody else without the right. */
  | { readonly kind: 'barred'; readonly why: string }
  /** A repository of this name exists already when one is created. */
  | { readonly kind: 'name_in_use'; readonly what: string }
  /** Something of this name exists already: rename, file, branch, account. */
  | { readonly kind: 'already_exists'; readonly what: string }
  /** Something is under way, or there already, that another one of it cannot be beside: a second transfer or fork. */
  | { readonly kind: 'conflict'; readonly what: string }
  /** The request is well-formed but says something that cannot be done. */
  | { readonly kind: 'invalid'; readonly what: string }
  /** Topics that cannot be: these, or all of them together. */
  | { readonly kind: 'invalid_topics'; readonly what: string; readonly topics: readonly string[] }
  /** A request that is refused as such (400 on the forge's wire). */
  | { readonly kind: 'bad_request'; readonly what: string }
  /** The body is not the JSON that the route takes. */
  | { readonly kind: 'bad_body'; readonly what: string }
  | { readonly kind: 'unsupported_media_type'; readonly what: string }
  /** The thing is there, but this is nothing that its kind knows. */
  | { readonly kind: 'not_applicable'; readonly what: string }
  | { readonly kind: 'archived'; readonly what: string }
  | { readonly kind: 'too_large'; readonly what: string; readonly bytesMax: number }
  /** The caller sees the repository but may not read its code: an answer, not a fault. */
  | { readonly kind: 'code_not_readable'; readonly what: string }
  | { readonly kind: 'too_many_attempts'; readonly retryAfterSeconds: number }
  /** The server is at one of its limits or cannot read something now; trying again is right. */
  | { readonly kind: 'busy'; readonly what: string; readonly retryAfterSeconds: number };

export type FailureKind = Failure['kind'];

/** The only error that services throw on purpose. Anything else is a fault of the server. */
export class ForgeError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: { cause?: unknown }) {
    super(describe(failure), options);
    this.name = 'ForgeError';
    this.failure = failure;
  }
}

/**
 * There is nothing of this name any more, but what had it has another one now, and the caller may see it. A wire that
 * knows redirects sends the caller there; for any other it is missing.
 */
export class MovedError extends ForgeError {
  /** names as the caller gave them, one after the other, and what stands in the place of each now */
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

export function invalid(what: string): ForgeError {
  return new ForgeError({ kind: 'invalid', what });
}

export function forbidden(why: string): ForgeError {
  return new ForgeError({ kind: 'forbidden', why });
}

function describe(failure: Failure): string {
  if ('what' in failure) return failure.what;
  if ('why' in failure) return failure.why;
  return failure.kind;
}
