import { invalid } from '../../core/failure.ts';
import type { Stretch } from '../../core/paging.ts';
import type { Engine } from '../engine.ts';
import type { CommitRange, Oid } from '../model.ts';
import type { GitCommand } from '../processes/child.ts';
import { requireCommit } from './compare-commits.ts';
import { sharedObjects } from './shared-objects.ts';
import { walk } from './walk.ts';

/** @see git-rev-list(1) */
export async function listCommits(
  engine: Engine,
  range: CommitRange,
  { limit, offset }: Stretch,
): Promise<readonly Oid[]> {
  const args = ['rev-list', `--max-count=${limit}`, `--skip=${offset}`, '--stdin'];
  const listed = await walkRange(engine, range, args);
  return listed.split('\n').filter((line) => line !== '');
}

export async function countCommits(engine: Engine, range: CommitRange): Promise<number> {
  return Number(await walkRange(engine, range, ['rev-list', '--count', '--stdin']));
}

async function walkRange(engine: Engine, range: CommitRange, args: readonly string[]): Promise<string> {
  const { head, without, path } = range;
  await Promise.all([head, ...without].map(requireCommit));
  const [other = head] = without;
  const location = await sharedObjects(engine, head.snapshot, other.snapshot);
  const command: GitCommand = { args: ['--literal-pathspecs', ...args], ...location };
  return walk(
    command,
    inputOf(
      head.oid,
      without.map(({ oid }) => oid),
      path,
    ),
  );
}

/** Lines for `--stdin`. A path is a line of its own, so it must be one line. */
function inputOf(head: Oid, without: readonly Oid[], path: string | null): string {
  if (path !== null && /[\n\0]/.test(path)) throw invalid('a path must be one line');
  const commits = [head, ...without.map((oid) => `^${oid}`)];
  return `${[...commits, ...(path === null ? [] : ['--', path])].join('\n')}\n`;
}
