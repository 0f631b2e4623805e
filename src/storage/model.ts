import type { Readable } from 'node:stream';

/** Properties of an object that are known without reading it. */
export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
}

/** An object that is being read. The caller reads `body` to its end or destroys it; otherwise the file stays open. */
export interface ObjectReading extends StoredObject {
  readonly body: Readable;
}

/** A byte range, counted from 0. Both ends are included. */
export interface ObjectRange {
  readonly start: number;
  /** the last byte; by default, and at most, the last byte of the object */
  readonly end?: number;
}

export interface PutOptions {
  /** a body of another size is rejected */
  readonly sizeBytes?: number;
  /** a larger body is rejected as soon as it exceeds this */
  readonly bytesMax?: number;
  /** hex; a body with another digest is rejected */
  readonly sha256?: string;
  /** keeps an existing object and returns `already there`; the body is still checked */
  readonly ifAbsent?: boolean;
}

export type PutOutcome = 'stored' | 'already there';

/** A download that needs no credentials: anyone with its address may send it until the address expires. */
export interface SignedRequest {
  readonly method: 'GET' | 'HEAD';
  readonly lifetimeMs: number;
  /** under which a browser stores the content */
  readonly fileName: string;
  /** bytes without a meaning, unless it is a type that no browser runs */
  readonly contentType?: string;
}

/**
 * Storage of bytes by key, for data outside git. A key consists of segments separated by `/`. Each segment has lower-case
 * letters, digits and `._-`, and begins with a letter or digit. No key is a folder of another one. The caller chooses the
 * key and never uses unchecked client input.
 */
export interface ObjectStorage {
  /**
   * Stores a body of any length with only a part of it in memory at a time. After any failure or crash, the object is
   * either complete and durable or absent.
   *
   * @throws ForgeError `invalid` for another size or digest, `too_large`; any error of `body`
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutOutcome>;

  /** @throws ForgeError `not_found`; `invalid` for a range that begins after the end */
  get(key: string, range?: ObjectRange): Promise<ObjectReading>;

  head(key: string): Promise<StoredObject | undefined>;

  /** Deletes an object. Does nothing if it is absent. */
  delete(key: string): Promise<void>;

  /**
   * Lists all objects whose keys begin with `prefix`, in byte order of their keys.
   *
   * @param options.after begins after this key
   */
  list(prefix: string, options?: { after?: string }): AsyncIterable<StoredObject>;

  /**
   * Returns an address at which a client gets the object without credentials. Whether the object exists is not checked.
   * With the address, the client may send this one method until the address expires.
   */
  signedUrl(key: string, request: SignedRequest): Promise<string>;

  /** Removes incomplete objects of killed servers. Only old ones, because others may be arriving right now. */
  removeAbandoned(olderThanMs: number): Promise<void>;

  close(): Promise<void>;
}
