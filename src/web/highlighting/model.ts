/** Work for the thread that highlights. */
export interface HighlightWork {
  readonly text: string;
  /** of the file, which decides its language */
  readonly name: string;
  /** of all lines of the result together */
  readonly charsMax: number;
}

/** HTML of each line, or null for a language without rules, and for a result that would be too long. */
export type HighlightAnswer = readonly string[] | null;
