import type { ObjectFormat, Oid } from '../format/model.ts';

/** A repository on another server. */
export interface RemoteSource {
  /** of the repository, without a query */
  readonly url: URL;
  /** value of the header `Authorization` */
  readonly authorization: string | undefined;
}

export interface RemoteRefs {
  readonly objectFormat: ObjectFormat;
  /** full name of the ref that HEAD points to, which may not exist; null: unknown */
  readonly head: string | null;
  /** by full name */
  readonly refs: ReadonlyMap<string, Oid>;
}

/** What to fetch: the objects that `wants` reach and `haves` do not. */
export interface RemoteFetch {
  readonly wants: readonly Oid[];
  readonly haves: readonly Oid[];
}

/** A repository on another server cannot be read or written, or what the server sends makes no sense. The message has no address and no credential. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  /** whether another attempt may succeed at once: the source has changed meanwhile, or ended the transfer early */
  readonly isTemporary: boolean;
  /** whether another attempt may succeed later */
  readonly mayPass: boolean;
  /** whether the other server has no repository at the address, or hides it */
  readonly isAbsent: boolean;

  constructor(
    message: string,
    options: { cause?: unknown; isTemporary?: boolean; mayPass?: boolean; isAbsent?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.isTemporary = options.isTemporary ?? false;
    this.mayPass = options.mayPass ?? this.isTemporary;
    this.isAbsent = options.isAbsent ?? false;
  }
}

/** Whether a server that answers with this status may do what it was asked later. */
export function mayStatusPass(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 599);
}

/** What a target did with the refs of a push. */
export interface TargetReport {
  /** null: it has stored the pack */
  readonly unpackError: string | null;
  /** by ref, why the target did not move it; null: it did */
  readonly refs: ReadonlyMap<string, string | null>;
}
