import type { Db, Tx } from '../../base/database/database.ts';

/** A file that may be deleted, as it was listed. */
export type LostFile<File> = File & {
  readonly isDoomed: boolean;
  /** a number in the row that every use of the file changes */
  readonly version: number;
};

/**
 * The rows of one kind of files, in a table of their feature. A row exists from before the bytes of its file are stored
 * until after they are deleted. A doomed row is never used again.
 */
export interface FileRows<File, Id = number> {
  /** Names of the jobs that collect these files: after a request, and on a schedule. They must never change. */
  readonly jobs: { readonly collect: string; readonly sweep: string };
  /** Whether several uploads share a row. If one of them fails, the row remains until its reservation ends. */
  readonly isShared: boolean;

  /** Returns the key of the bytes, which no other row has. If it ends with `/`, the file has all objects below it. */
  keyOf(file: File): string;

  /** Sets when a file is due for deletion, in ms, unless it has a link then. Does nothing to a doomed file. */
  renew(tx: Tx, file: File, until: number): Promise<unknown>;

  /** Lists doomed files, and due files that may have no link. */
  listLost(db: Db, now: number, limit: number): Promise<readonly LostFile<File>[]>;

  /**
   * Dooms a file if it has the listed version and no link. Otherwise, ensures that the file is not listed again before
   * its next use.
   */
  doom(tx: Tx, file: LostFile<File>): Promise<boolean>;

  /** Deletes the row of a doomed file. Does nothing if the file is not doomed. */
  delete(tx: Tx, file: File): Promise<unknown>;

  /** Finds objects without a row. */
  readonly strays: {
    /** Returns the beginning of the keys of one sweep, which may include the two hex digits whose turn it is. */
    prefixOf(digits: string): string;
    /** Returns the id of the row of an object. */
    idOf(key: string): Id;
    /** Filters ids: lists the ids that have a row. */
    listKnown(db: Db, ids: readonly Id[]): Promise<readonly { readonly id: Id }[]>;
  };
}

/** The steps of an upload that differ between kinds of files. */
export interface Upload<File, Content> {
  /** Writes the row, or renews the reservation of an existing one. */
  reserve(tx: Tx, until: number): Promise<File>;
  /** Stores the bytes below the key of the file. */
  put(file: File): Promise<Content>;
}

/** An upload whose file gets an owner at the end, in one transaction of two steps. */
export interface LinkedUpload<File, Content, Rights, Linked> extends Upload<File, Content> {
  /** Authorizes the caller again, because rights and room may have changed while the bytes arrived. */
  authorize(tx: Tx, content: Content): Promise<Rights>;
  /** Links the file to its owner, and locks its row. Returns undefined if the row is doomed or missing. */
  link(tx: Tx, stored: { file: File; content: Content; rights: Rights }): Promise<Linked | undefined>;
}

export interface Sweep {
  readonly signal: AbortSignal;
  /** ms */
  readonly now: number;
}
