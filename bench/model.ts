/** How much is made and asked. Counts, unless the name says else. */
export interface Size {
  readonly commits: number;
  readonly repositories: number;
  readonly notes: number;
  /** how long one round of a row goes on that is asked by HTTP and changes nothing */
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** operations of one round of a row that changes something */
  readonly writes: number;
  readonly pushes: number;
  readonly clones: number;
  readonly starts: number;
}

/** What one round of a row came to. */
export interface Sample {
  /** of each operation */
  readonly latenciesMs: readonly number[];
  /** of all of them together, as many at once as the row says */
  readonly elapsedMs: number;
}

/** Says why a row is not measured. */
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

/** All rounds of a row together, and each round. */
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
