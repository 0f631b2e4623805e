import type { Corpus } from '../corpus/corpus.ts';
import type { Forge } from '../corpus/forge.ts';
import type { GitShell } from '../corpus/git-shell.ts';
import type { LoadGenerator } from '../load/generator.ts';
import type { RowKind, Sample, Size } from '../model.ts';
import type { ServerProcess } from '../servers/server-process.ts';

/** Resources that rows use. */
export interface Bench {
  readonly forge: Forge;
  readonly corpus: Corpus;
  /** null: the server was not started here, so its process cannot be measured */
  readonly server: ServerProcess | null;
  readonly load: LoadGenerator;
  /** shells that start the timed git processes; as many as run at once */
  readonly shells: readonly [GitShell, ...GitShell[]];
  /** a temporary folder on the same disk as the server's data */
  readonly folder: string;
  readonly size: Size;
}

/** A row with a checked response, ready to be measured. */
export interface ReadyRow {
  /** Prepares a round. Not part of the measurement. */
  begin?(): Promise<void>;
  round(): Promise<Sample>;
  /** A shorter round whose results are discarded. Absent: a normal round warms up. */
  warmUp?(): Promise<unknown>;
  /** Checks the data that a round has written. */
  check?(): Promise<void>;
  /** Stops the processes that only this row uses. */
  close?(): Promise<void>;
  /** CPU time so far of the processes that do the work, ms; null if unknown */
  readonly cpuMs: (() => number) | null;
}

/** A row of the report. */
export interface Row {
  /** id for `--only` and the aims */
  readonly id: string;
  readonly about: string;
  readonly kind: RowKind;
  /** number of concurrent operations */
  readonly atOnce: number;
  /**
   * Creates the data that the row needs and checks one response completely.
   *
   * @throws Skipped if this server or this machine does not support the row
   */
  prepare(bench: Bench): Promise<ReadyRow>;
}
