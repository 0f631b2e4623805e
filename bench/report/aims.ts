import type { RowResult } from '../model.ts';
import { median } from '../statistics.ts';

/** A target for the server, as a ratio of rows of the same run. */
interface Aim {
  readonly about: string;
  readonly wanted: string;
  /** the rows it compares */
  readonly rows: readonly string[];
  value(rows: readonly RowResult[]): number;
  isMet(value: number): boolean;
  readonly unit: string;
}

export interface AimResult {
  readonly about: string;
  readonly wanted: string;
  readonly got: string;
  readonly met: boolean;
}

/** Returns the median over the rounds of a comparison of two rows within one round. */
function overRounds(
  rows: readonly RowResult[],
  of: (one: RowResult['rounds'][number], other: RowResult['rounds'][number]) => number,
): number {
  const [one, other] = rows;
  const values = (one?.rounds ?? []).flatMap((round, index) => {
    const beside = other?.rounds[index];
    return beside === undefined ? [] : [of(round, beside)];
  });
  return median(values);
}

function throughputAtLeastHalf(id: string): Aim {
  return {
    about: `throughput of ${id} to that of the bare route`,
    wanted: 'at least 0.5',
    rows: [`${id}@16`, 'bare-repository@16'],
    value: (rows) => overRounds(rows, (one, other) => one.perSecond / other.perSecond),
    isMet: (value) => value >= 0.5,
    unit: '×',
  };
}

function timesAtMost(id: string, yardstick: string, most: number): Aim {
  return {
    about: `median of ${id} to that of ${yardstick}`,
    wanted: `at most ${most}`,
    rows: [id, yardstick],
    value: (rows) => overRounds(rows, (one, other) => one.medianMs / other.medianMs),
    isMet: (value) => value <= most,
    unit: '×',
  };
}

function millisecondsAtMost(id: string, most: number): Aim {
  return {
    about: `median of ${id}`,
    wanted: `at most ${most} ms`,
    rows: [id],
    value: ([row]) => row?.medianMs ?? Number.NaN,
    isMet: (value) => value <= most,
    unit: ' ms',
  };
}

const AIMS: readonly Aim[] = [
  throughputAtLeastHalf('repository-anonymous'),
  throughputAtLeastHalf('repository-token'),
  throughputAtLeastHalf('repository-password'),
  {
    about: 'median of contents-10kb less that of the bare route',
    wanted: 'at most 1 ms',
    rows: ['contents-10kb', 'bare-contents'],
    value: (rows) => overRounds(rows, (one, other) => one.medianMs - other.medianMs),
    isMet: (value) => value <= 1,
    unit: ' ms',
  },
  timesAtMost('list-100', 'contents-10kb', 3),
  timesAtMost('commit-small', 'commit-by-hand', 1),
  timesAtMost('commit-large', 'commit-by-hand', 1),
  millisecondsAtMost('commit-small', 2),
  millisecondsAtMost('commit-16-repositories', 20),
  timesAtMost('push', 'push-by-hand', 1.3),
  timesAtMost('first-push', 'index-pack-by-hand', 1.3),
  timesAtMost('upload-pack', 'upload-pack-by-hand', 1.15),
  timesAtMost('clone', 'clone-by-hand', 1.15),
  timesAtMost('clone-shallow', 'clone-shallow-by-hand', 1.15),
  timesAtMost('clones-8', 'clones-8-by-hand', 1.15),
  millisecondsAtMost('start', 250),
];

/** Resident memory of the server, MB (10^6 bytes). At rest: it has had no requests for some seconds. */
export interface ServerMemory {
  /** at rest */
  readonly afterStartMb: number;
  /** right after the last row */
  readonly afterWorkMb: number;
  /** at rest */
  readonly atEndMb: number;
  readonly peakMb: number;
}

const MEMORY_AFTER_START_MB_MAX = 100;
const MEMORY_AT_END_MB_MAX = 150;

/** Evaluates the aims. Leaves out aims with an unmeasured row. */
export function holdAgainstAims(
  rows: readonly RowResult[],
  serverMemory: ServerMemory | null,
): readonly AimResult[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const results = AIMS.flatMap((aim) => {
    const found = aim.rows.map((id) => byId.get(id)).filter((row) => row !== undefined);
    return found.length === aim.rows.length ? [resultOf(aim, aim.value(found))] : [];
  });
  if (serverMemory === null) return results;
  return [
    ...results,
    memoryResult('after its start', serverMemory.afterStartMb, MEMORY_AFTER_START_MB_MAX),
    memoryResult('after the run', serverMemory.atEndMb, MEMORY_AT_END_MB_MAX),
  ];
}

function memoryResult(when: string, mb: number, most: number): AimResult {
  return {
    about: `memory of the server at rest ${when}`,
    wanted: `at most ${most} MB`,
    got: `${mb.toFixed(0)} MB`,
    met: mb <= most,
  };
}

function resultOf({ about, wanted, unit, isMet }: Aim, value: number): AimResult {
  return { about, wanted, got: `${value.toFixed(2)}${unit}`, met: isMet(value) };
}
