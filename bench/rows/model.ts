import type { Corpus } from '../corpus/corpus.ts';
import type { Forge } from '../corpus/forge.ts';
import type { GitShell } from '../corpus/git-shell.ts';
import type { LoadGenerator } from '../load/generator.ts';
import type { RowKind, Sample, Size } from '../model.ts';
import type { ServerProcess } from '../servers/server-process.ts';

/** What rows are made from. */
export interface Bench {
  readonly forge: Forge;
  readonly corpus: Corpus;
  /** null: the server runs elsewhere, so nobody can see what it uses */
  readonly server: ServerProcess | null;
  readonly load: LoadGenerator;
  /** what starts git where it is timed; as many as are used at once */
  readonly shells: readonly [GitShell, ...GitShell[]];
  /** a throwaway folder on the disk that the server has its own on */
  readonly folder: string;
  readonly size: Size;
}

/** A row whose answers have been checked and that is ready to be measured. */
export interface ReadyRow {
  /** What has to be done before a round, and is no part of it. */
  begin?(): Promise<void>;
  round(): Promise<Sample>;
  /** Like a round, but shorter, and what it measures is thrown away. Absent: a round warms up as well. */
  warmUp?(): Promise<unknown>;
  /** Checks after a round what it left behind. */
  check?(): Promise<void>;
  /** Ends what was started for this row alone. */
  close?(): Promise<void>;
  /** CPU time so far of whatever does the work, ms; null where that cannot be told */
  readonly cpuMs: (() => number) | null;
}

/** A thing that is measured. */
export interface Row {
  /** what `--only` and the aims name it by */
  readonly id: string;
  readonly about: string;
  readonly kind: RowKind;
  /** operations under way at the same time */
  readonly atOnce: number;
  /**
   * Makes what it needs and checks one answer in full.
   *
   * @throws Skipped where this server, or this machine, cannot be asked
   */
  prepare(bench: Bench): Promise<ReadyRow>;
}
