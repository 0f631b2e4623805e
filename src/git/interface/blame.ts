import type { Oid } from '../format/model.ts';

/** Lines of a file that one commit brought, next to each other. */
export interface BlamedLines {
  /** from 1 */
  readonly start: number;
  readonly count: number;
  readonly commit: BlamedCommit;
}

/** A commit that brought lines. */
export interface BlamedCommit {
  readonly oid: Oid;
  readonly authorName: string;
  /** author's date */
  readonly seconds: number;
  /** first line of its message */
  readonly subject: string;
  /** the parent in which the lines were different; null: the commit added the file */
  readonly previous: Oid | null;
}

/** A line of a file that has a text. */
export interface FoundLine {
  readonly path: string;
  /** from 1 */
  readonly number: number;
  /** the beginning of a long line, or the part of it that has the text */
  readonly text: string;
}

export interface FoundLines {
  readonly lines: readonly FoundLine[];
  /** whether there may be more */
  readonly isCut: boolean;
}
