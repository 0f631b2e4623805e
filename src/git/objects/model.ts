import type { Oid } from '../format/model.ts';

/** A blob that is too large for memory, in a file as git stores it. Its drafts delete the file. */
export interface StoredBlob {
  readonly oid: Oid;
  readonly file: string;
}

/** The content of a blob to write, or a blob that was written before. */
export type NewBlob = Uint8Array | StoredBlob;

export interface DraftContent {
  readonly sizeBytes: number;
  /** Reads the content from its start, any number of times. */
  read(): AsyncIterable<Buffer>;
}

/** New blobs whose contents arrive one after the other, in pieces. They are invisible until a session commits them. */
export interface BlobDrafts {
  /** Begins the next blob. They have the numbers 0, 1, 2 and so on. */
  begin(): Promise<void>;
  write(bytes: Buffer): Promise<void>;
  /** Returns the content of a whole blob, which is there until `discard`. */
  content(number: number): Promise<DraftContent>;
  /**
   * Runs `work` with whole blobs, which any number of sessions of their repository may add until `work` ends. Call this
   * once.
   */
  use<T>(numbers: readonly number[], work: (blobs: readonly NewBlob[]) => Promise<T>): Promise<T>;
  /** Waits for the other calls and deletes all files. Must be called once. */
  discard(): Promise<void>;
}
