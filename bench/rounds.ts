import { type RoundResult, type RowResult, type Sample, Skipped, type SkippedRow } from './model.ts';
import type { Bench, ReadyRow, Row } from './rows/model.ts';
import { median, quantile, sum } from './statistics.ts';

interface Measured {
  readonly row: Row;
  readonly ready: ReadyRow;
  readonly samples: { readonly sample: Sample; readonly cpuMs: number | null }[];
  serverMb: number | null;
}

export interface Measurements {
  readonly rows: readonly RowResult[];
  readonly skipped: readonly SkippedRow[];
}

type Print = (line: string) => void;

/**
 * Measures rows, one round of each before the next round. Other load on the machine then affects all rows, and the ratio
 * of two rows compares measurements that are seconds apart.
 *
 * @param options.print receives lines about the progress
 * @throws Error if a response is wrong, because then no number means anything
 */
export async function measure(
  bench: Bench,
  rows: readonly Row[],
  options: { readonly rounds: number; readonly print: Print },
): Promise<Measurements> {
  const { rounds, print } = options;
  const skipped: SkippedRow[] = [];
  const measured: Measured[] = [];
  try {
    for (const row of rows) {
      print(`preparing ${row.id}${memoryNow(bench)}`);
      const ready = await prepare(bench, row, skipped);
      if (ready !== undefined) measured.push({ row, ready, samples: [], serverMb: null });
    }
    print('warming up');
    for (const { row, ready } of measured) {
      await inRow(row, () => warmUp(ready));
      print(`  ${row.id}${memoryNow(bench)}`);
    }
    for (let round = 1; round <= rounds; round += 1) {
      print(`round ${round} of ${rounds}`);
      for (const each of measured) await inRow(each.row, () => measureRound(bench, each));
    }
    return { rows: measured.map(resultOf), skipped };
  } finally {
    for (const { ready } of measured) await ready.close?.();
  }
}

/** Returns the current memory for progress lines, which shows the rows that use it. */
function memoryNow({ server }: Bench): string {
  const memory = server?.memoryMb() ?? null;
  return memory === null ? '' : ` (server ${memory.now.toFixed(0)} MB)`;
}

async function prepare(bench: Bench, row: Row, skipped: SkippedRow[]): Promise<ReadyRow | undefined> {
  try {
    return await inRow(row, () => row.prepare(bench));
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof Skipped)) throw error;
    skipped.push({ id: row.id, about: row.about, why: cause.message });
    return undefined;
  }
}

async function inRow<T>(row: Row, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${row.id}: ${why}`, { cause: error });
  }
}

async function warmUp(ready: ReadyRow): Promise<void> {
  await ready.begin?.();
  await (ready.warmUp === undefined ? ready.round() : ready.warmUp());
  await ready.check?.();
}

async function measureRound({ server }: Bench, measured: Measured): Promise<void> {
  const { ready, samples } = measured;
  await ready.begin?.();
  const before = ready.cpuMs?.() ?? null;
  const sample = await ready.round();
  const after = ready.cpuMs?.() ?? null;
  samples.push({ sample, cpuMs: before === null || after === null ? null : after - before });
  await ready.check?.();
  measured.serverMb = server?.memoryMb()?.now ?? null;
}

function resultOf({ row, samples, serverMb }: Measured): RowResult {
  const { id, about, kind, atOnce } = row;
  const rounds = samples.map(({ sample, cpuMs }) => roundOf([sample], cpuMs));
  const cpu = samples.map(({ cpuMs }) => cpuMs).filter((each) => each !== null);
  const all = roundOf(
    samples.map(({ sample }) => sample),
    cpu.length === samples.length ? sum(cpu) : null,
  );
  return { id, about, kind, atOnce, ...all, serverMb, rounds };
}

function roundOf(samples: readonly Sample[], cpuMs: number | null): RoundResult {
  const latenciesMs = samples.flatMap((sample) => sample.latenciesMs);
  const elapsedMs = sum(samples.map((sample) => sample.elapsedMs));
  const operations = latenciesMs.length;
  return {
    operations,
    medianMs: median(latenciesMs),
    p99Ms: quantile(latenciesMs, 0.99),
    perSecond: (operations * 1000) / elapsedMs,
    cpuMsPerOperation: cpuMs === null ? null : cpuMs / operations,
  };
}
