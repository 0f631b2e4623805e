/** Work for the thread that highlights. */
export interface HighlightWork {
  readonly text: string;
  /** of the file, which decides its language */
  readonly name: string;
}

/** HTML of each line, or null for a language without rules. */
export type HighlightAnswer = readonly string[] | null;
