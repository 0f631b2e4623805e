/** The file before a change, or after it. */
export type DiffSide = 'old' | 'new';

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  /** from 1; null: the line was added */
  readonly oldNumber: number | null;
  /** from 1; null: the line was removed */
  readonly newNumber: number | null;
  /** without the line feed at its end, and with U+FFFD in place of NUL; a very long line is cut, and ends with a mark */
  readonly text: string;
  /** false for the last line of a file that does not end with a line feed */
  readonly hasLineFeed: boolean;
}

/** Lines of one side. If there are none, `start` is the line before them. */
export interface LineSpan {
  readonly start: number;
  readonly count: number;
}

/** Changes near each other, with lines around them, as in a unified diff. */
export interface Hunk {
  readonly old: LineSpan;
  readonly new: LineSpan;
  /** the line before the hunk that names its function or chapter; '' for none */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}
