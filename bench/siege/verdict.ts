import { quantile } from '../statistics.ts';
import type { Outcome } from './attackers.ts';
import type { Action } from './members.ts';

/** The promise of docs/reliability.md. */
const SLOWER_MAX = 5;
const MEMORY_MB_MAX = 600;

export interface Times {
  readonly kind: string;
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Phase {
  readonly seconds: number;
  readonly times: readonly Times[];
  readonly problems: readonly string[];
  readonly memoryMbMax: number;
}

/** Sums up the actions of all members, by kind and together. */
export function timesOf(actions: readonly Action[]): readonly Times[] {
  const kinds = [...new Set(actions.map(({ kind }) => kind))].sort();
  return [
    ...kinds.map((kind) =>
      summary(
        kind,
        actions.filter((action) => action.kind === kind),
      ),
    ),
    summary('all', actions),
  ];
}

function summary(kind: string, actions: readonly Action[]): Times {
  const ms = actions.map((action) => action.ms);
  return { kind, count: ms.length, p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) };
}

/** Returns what breaks the promise; empty if it holds. */
export function brokenPromises(quiet: Phase, siege: Phase, outcomes: readonly Outcome[]): string[] {
  const slow = siege.times.flatMap(({ kind, p99Ms }) => {
    const before = quiet.times.find((times) => times.kind === kind)?.p99Ms ?? 0;
    const ratio = p99Ms / before;
    return ratio <= SLOWER_MAX ? [] : [`${kind}: p99 is ${ratio.toFixed(1)} times the quiet one`];
  });
  const failed = [...quiet.problems, ...siege.problems].map((problem) => `a member failed: ${problem}`);
  const faults = outcomes.flatMap(({ attack, answers }) =>
    Object.keys(answers)
      .filter((answer) => answer.startsWith('5') && answer !== '503 with Retry-After')
      .map((answer) => `${attack}: answered with ${answer}`),
  );
  const fat =
    siege.memoryMbMax > MEMORY_MB_MAX
      ? [`the server took ${Math.round(siege.memoryMbMax)} MB, more than ${MEMORY_MB_MAX}`]
      : [];
  return [...slow, ...failed.slice(0, 20), ...faults, ...fat];
}

/** Formats the figures as Markdown. */
export function asMarkdown(result: {
  readonly title: string;
  readonly machine: string;
  readonly quiet: Phase;
  readonly siege: Phase;
  readonly outcomes: readonly Outcome[];
  readonly broken: readonly string[];
}): string {
  const { quiet, siege, outcomes, broken } = result;
  const rows = siege.times.map(({ kind, count, p50Ms, p99Ms }) => {
    const before = quiet.times.find((times) => times.kind === kind);
    const cells = [kind, before?.p50Ms, before?.p99Ms, count, p50Ms, p99Ms, p99Ms / (before?.p99Ms ?? 0)];
    return `| ${cells.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)).join(' | ')} |`;
  });
  const attacks = outcomes.map(({ attack, attempts, answers }) => {
    const list = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
    return `| ${attack} | ${attempts} | ${list.join(', ')} |`;
  });
  return `${[
    `# ${result.title}`,
    '',
    result.machine,
    '',
    `Quiet for ${quiet.seconds} s, then besieged for ${siege.seconds} s. Memory of the server at most ` +
      `${figure(quiet.memoryMbMax)} MB quiet, ${figure(siege.memoryMbMax)} MB besieged.`,
    '',
    '| members | quiet p50, ms | quiet p99, ms | actions besieged | p50, ms | p99, ms | p99 to quiet p99 |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    '| attack | attempts | answers |',
    '|---|---|---|',
    ...attacks,
    '',
    broken.length === 0 ? 'The promise holds.' : `Broken: ${broken.join('; ')}.`,
  ].join('\n')}\n`;
}

function figure(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1);
}
