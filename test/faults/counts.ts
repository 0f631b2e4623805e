/** A violation of what the server promises. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly text: string;
}

const PROBLEM_KINDS = [
  /** changes that are acknowledged but absent, or rejected but present */
  'lost',
  /** lines of `git fsck --strict` */
  'fsck',
  /** lines of `quire doctor` about leftovers that a sweep clears */
  'doctor',
  /** leftovers after a sweep: lines of `quire doctor`, and files */
  'unswept',
  'other',
] as const;
type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Result of one kill. */
export interface Round {
  readonly acknowledged: number;
  readonly retried: number;
  readonly problems: readonly Problem[];
}

/** Results of one way of killing. */
export class Counts {
  readonly database: string;
  readonly kill: string;
  readonly #rounds: Round[] = [];

  constructor(database: string, kill: string) {
    this.database = database;
    this.kill = kill;
  }

  add(round: Round): void {
    this.#rounds.push(round);
  }

  /** Whether the only problems are leftovers that a sweep clears. */
  get isGood(): boolean {
    return this.#rounds.every((round) => round.problems.every(({ kind }) => kind === 'doctor'));
  }

  cells(): readonly string[] {
    const sum = (of: (round: Round) => number) =>
      this.#rounds.reduce((total, round) => total + of(round), 0).toLocaleString('en');
    return [
      this.database,
      this.kill,
      sum(() => 1),
      sum((round) => round.acknowledged),
      sum((round) => round.retried),
      ...PROBLEM_KINDS.map((kind) =>
        sum((round) => round.problems.filter((problem) => problem.kind === kind).length),
      ),
    ];
  }
}

const HEADINGS = ['database', 'killed', 'kills and restarts', 'acknowledged', 'retried', ...PROBLEM_KINDS];

/** Returns a table in Markdown, with one row for each way of killing. */
export function formatCounts(all: readonly Counts[]): string {
  const rule = HEADINGS.map((_, index) => (index < 2 ? '---' : '---:'));
  const lines = [HEADINGS, rule, ...all.map((counts) => counts.cells())];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
