/** Amounts of data and requests. Counts, unless the name has a unit. */
export interface Size {
  readonly commits: number;
  readonly repositories: number;
  readonly notes: number;
  /** length of one round of a row that only reads over HTTP */
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** before each round of a row that repeats one request: a server that rested has forgotten compiled code */
  readonly warmUpAgainMs: number;
  /** operations in one round of a row that writes */
  readonly writes: number;
  readonly pushes: number;
  readonly clones: number;
  readonly starts: number;
}

/** Results of one round of a row. */
export interface Sample {
  /** of each operation */
  readonly latenciesMs: readonly number[];
  /** time of all operations together, with the row's concurrency */
  readonly elapsedMs: number;
}

/** The reason why a row is not measured. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

export interface RoundResult {
  readonly operations: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly cpuMsPerOperation: number | null;
}

/** `row`: an operation of the server. `yardstick`: something else that the server is compared with. */
export type RowKind = 'row' | 'yardstick';

/** Results of a row: all rounds together, and each round. */
export interface RowResult extends RoundResult {
  readonly id: string;
  readonly about: string;
  readonly kind: RowKind;
  readonly atOnce: number;
  /** resident memory of the server after the last round, MB (10^6 bytes) */
  readonly serverMb: number | null;
  readonly rounds: readonly RoundResult[];
}

export interface SkippedRow {
  readonly id: string;
  readonly about: string;
  readonly why: string;
}
