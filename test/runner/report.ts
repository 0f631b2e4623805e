import type { DatabaseName } from './options.ts';
import type { Task } from './plan.ts';
import type { EndedTest } from './protocol.ts';
import type { FileResult } from './test-process.ts';

const DATABASE_TITLES: Record<DatabaseName, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const TITLE_CHARS = Math.max(...Object.values(DATABASE_TITLES).map((title) => title.length));

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Noted {
  readonly where: string;
  readonly file: string;
  readonly test: EndedTest;
}

/** Prints the run: a line for each file, each failure in full when it happens, and a list of failures at the end. */
export class Report {
  readonly #print: (line: string) => void;
  readonly #total: Counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #failed: Noted[] = [];
  readonly #skipped: Noted[] = [];
  readonly #byDatabase = new Map<string, Counts>();

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get isGood(): boolean {
    return this.#total.failed === 0 && this.#total.passed > 0;
  }

  begin(tasks: readonly Task[]): void {
    for (const [database, ofDatabase] of Map.groupBy(tasks, (task) => task.database)) {
      const files = ofDatabase.length;
      this.#print(`${DATABASE_TITLES[database]}: ${files} ${files === 1 ? 'file' : 'files'}`);
      this.#byDatabase.set(DATABASE_TITLES[database], { passed: 0, failed: 0, skipped: 0 });
    }
  }

  addFile(database: DatabaseName, result: FileResult): void {
    this.#add(DATABASE_TITLES[database], result);
  }

  /** Adds a failure outside the tests. It counts as a failed test. */
  addProblem(name: string, detail: string): void {
    const test: EndedTest = { kind: 'test', name, line: undefined, outcome: 'failed', detail };
    this.#add('', { file: '(no file)', tests: [test], output: '', durationMs: 0, cpuMs: undefined });
  }

  #add(where: string, result: FileResult): void {
    const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
    for (const test of result.tests) {
      for (const sum of [counts, this.#byDatabase.get(where), this.#total])
        if (sum !== undefined) sum[test.outcome] += 1;
      if (test.outcome === 'failed') this.#failed.push({ where, file: result.file, test });
      if (test.outcome === 'skipped') this.#skipped.push({ where, file: result.file, test });
    }
    const mark = counts.failed > 0 ? 'FAIL' : 'ok  ';
    this.#print(
      `  ${mark} ${where.padEnd(TITLE_CHARS)}  ${result.file}  ${inWords(counts)}  ${timesOf(result)}`,
    );
    this.#printFailures(result);
  }

  /** @param cpu CPU of the whole run, and the part of it that PostgreSQL used, if known */
  endTasks(durationMs: number, cpu: { all: number | undefined; postgres: number | undefined }): void {
    this.#print('');
    for (const [title, counts] of this.#byDatabase) this.#print(`${title}: ${inWords(counts)}`);
    const used = cpu.all === undefined ? '' : `, and ${seconds(cpu.all)} of CPU`;
    const inPostgres =
      cpu.postgres === undefined ? '' : `, of which PostgreSQL used ${seconds(cpu.postgres)}`;
    this.#print(`The tests took ${seconds(durationMs)}${used}${inPostgres}.`);
  }

  /** Prints the totals. Scripts read the last line, so its form never changes. */
  end(): void {
    this.#printSkipped();
    if (this.#failed.length > 0) this.#print('\nFailed:');
    for (const { where, file, test } of this.#failed) {
      this.#print(`  ${where}  ${locationOf(file, test)}  ${test.name}`);
    }
    const { passed, failed, skipped } = this.#total;
    this.#print('');
    this.#print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }

  #printFailures(result: FileResult): void {
    for (const test of result.tests) {
      if (test.outcome !== 'failed') continue;
      this.#print(`\n    ${test.name}\n    ${locationOf(result.file, test)}`);
      this.#print(indent(test.detail, 6));
    }
    if (result.output !== '') this.#print(`\n    Output:\n${indent(result.output, 6)}`);
    if (result.tests.some((test) => test.outcome === 'failed')) this.#print('');
  }

  #printSkipped(): void {
    const byReason = new Map<string, Set<string>>();
    for (const { file, test } of this.#skipped) {
      const names = byReason.get(test.detail) ?? new Set();
      byReason.set(test.detail, names.add(`${locationOf(file, test)}  ${test.name}`));
    }
    for (const [reason, names] of byReason) {
      this.#print(`\nSkipped (${reason}):`);
      for (const name of names) this.#print(`  ${name}`);
    }
  }
}

function inWords({ passed, failed, skipped }: Counts): string {
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return parts.join(', ');
}

function locationOf(file: string, test: EndedTest): string {
  return test.line === undefined ? file : `${file}:${test.line}`;
}

function timesOf({ durationMs, cpuMs }: FileResult): string {
  return cpuMs === undefined ? seconds(durationMs) : `${seconds(durationMs)}, ${seconds(cpuMs)} CPU`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function indent(text: string, columns: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(columns));
}
