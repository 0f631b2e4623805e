import type { Readable } from 'node:stream';

/** What is known of an object without reading it. */
export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** ms */
  readonly modifiedAt: number;
}

/** An object that is being read. `body` is read to its end or destroyed, else it stays open. */
export interface ObjectReading extends StoredObject {
  readonly body: Readable;
}

/** Both ends included, counted from 0. */
export interface ObjectRange {
  readonly start: number;
  /** the last byte; the object's own last one where this is absent or beyond it */
  readonly end?: number;
}

export interface PutOptions {
  /** a body of another size is refused */
  readonly sizeBytes?: number;
  /** a body with more is refused as soon as that shows */
  readonly bytesMax?: number;
  /** hex; a body with another digest is refused */
  readonly sha256?: string;
  /** what is under the key already stays, and that is told by `already there`; the body is checked all the same */
  readonly ifAbsent?: boolean;
}

export type PutOutcome = 'stored' | 'already there';

/** What somebody may do by an address alone, without credentials, until it expires. */
export interface SignedRequest {
  readonly method: 'GET' | 'PUT';
  readonly lifetimeMs: number;
  /** what a browser names the file, for GET */
  readonly fileName?: string;
  readonly contentType?: string;
}

/**
 * Bytes by key: what git does not keep. A key is `/`-separated segments of small letters, digits and `._-`, each
 * beginning with a letter or digit; no key is a folder of another one. Whoever stores decides about keys; nothing
 * that a client sent becomes one unchecked.
 */
export interface ObjectStorage {
  /**
   * Stores a body of whatever length, never holding more than a part of it. The object appears whole and durable or
   * not at all, whatever happens on the way.
   *
   * @throws ForgeError `invalid` for another size or digest, `too_large`; whatever `body` throws
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutOutcome>;

  /** @throws ForgeError `not_found`; `invalid` for a range that begins behind the end */
  get(key: string, range?: ObjectRange): Promise<ObjectReading>;

  head(key: string): Promise<StoredObject | undefined>;

  /** What is not there is gone already. */
  delete(key: string): Promise<void>;

  /**
   * Every object whose key begins with `prefix`, by key in byte order.
   *
   * @param options.after begins behind this key
   */
  list(prefix: string, options?: { after?: string }): AsyncIterable<StoredObject>;

  /** An address that a client can use itself; undefined where the storage has none and the server carries the bytes. */
  signedUrl(key: string, request: SignedRequest): Promise<string | undefined>;
}
