import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowResult, Size, SkippedRow } from '../model.ts';
import type { AimResult, ServerMemory } from './aims.ts';
import type { Machine } from './machine.ts';

/** The recorded results of a run. */
export interface Report {
  readonly name: string;
  /** ISO 8601, UTC */
  readonly startedAt: string;
  readonly tookSeconds: number;
  readonly machine: Machine;
  readonly loadAfter: number;
  readonly rounds: number;
  readonly size: Size;
  readonly memory: ServerMemory | null;
  readonly aims: readonly AimResult[];
  readonly rows: readonly RowResult[];
  readonly skipped: readonly SkippedRow[];
}

/**
 * Saves a report as JSON and as a table.
 *
 * @returns the path without the extension
 */
export function saveReport(report: Report): string {
  const folder = join(import.meta.dirname, '../results');
  mkdirSync(folder, { recursive: true });
  const name = `${report.startedAt.slice(0, 10)}-${report.name}`;
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 1)}\n`);
  writeFileSync(join(folder, `${name}.md`), asMarkdown(report));
  return `bench/results/${name}`;
}

export function asMarkdown(report: Report): string {
  const { machine, size } = report;
  const parts = [
    `# ${report.startedAt.slice(0, 10)} ${report.name}`,
    [
      `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.platform}`,
      `Node ${machine.node}, ${machine.git}, Quire ${machine.commit ?? 'of unknown commit'}.`,
      `Load of the machine ${machine.loadBefore} before the run, ${report.loadAfter} after it.`,
      `${report.rounds} rounds; ${size.commits} commits, ${size.notes} notes, ${size.repositories} repositories;`,
      `${report.tookSeconds} s in all.`,
    ].join('\n'),
    memoryLine(report),
    section('Aims', ['aim', 'wanted', 'got', ''], report.aims.map(aimCells)),
    section('The server', ROW_HEAD, report.rows.filter(({ kind }) => kind === 'row').map(rowCells)),
    section('Yardsticks', ROW_HEAD, report.rows.filter(({ kind }) => kind === 'yardstick').map(rowCells)),
    section(
      'Not measured',
      ['row', 'why'],
      report.skipped.map(({ id, why }) => [id, why]),
    ),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const ROW_HEAD = ['row', 'at once', 'n', 'median ms', 'p99 ms', 'per second', 'CPU ms', 'MB', 'what it is'];

function memoryLine({ memory }: Report): string {
  if (memory === null) return '';
  const { afterStartMb, afterWorkMb, atEndMb, peakMb } = memory;
  return `Memory of the server: ${round(afterStartMb)} MB at rest after its start, ${round(afterWorkMb)} after the last row, ${round(atEndMb)} at rest after it, ${round(peakMb)} at most.`;
}

function aimCells({ about, wanted, got, met }: AimResult): readonly string[] {
  return [about, wanted, got, met ? 'met' : '**missed**'];
}

function rowCells(row: RowResult): readonly string[] {
  const { cpuMsPerOperation: cpu, serverMb } = row;
  return [
    row.id,
    `${row.atOnce}`,
    `${row.operations}`,
    round(row.medianMs),
    round(row.p99Ms),
    round(row.perSecond),
    cpu === null ? '–' : round(cpu),
    row.kind === 'yardstick' || serverMb === null ? '–' : round(serverMb),
    row.about,
  ];
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...rows.map(line)];
  return `## ${title}\n\n${lines.join('\n')}`;
}

/** Rounds to three significant digits. */
function round(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
