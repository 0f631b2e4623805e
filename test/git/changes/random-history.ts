import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { buildStep, type StepSize } from '../../../src/git/changes/build.ts';
import type { GitDir } from '../../../src/git/folders/repository-layout.ts';
import type { CachedObjectReader } from '../../../src/git/objects/object-reader.ts';
import { git, workingCopy } from '../../support/git/git.ts';

export const OID_BYTES = 20;
export const WHOLE: StepSize = {
  commitsMax: 1_000,
  workMax: 100_000,
  commitWorkMax: 1_000,
  beyond: 'opaque',
  mergedMax: Number.POSITIVE_INFINITY,
  plansAhead: true,
};

/** Numbers from 0 to below `bound`, the same in every run. */
export function numbersFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** A commit of the model: its parents, and the content of each path. */
export interface Model {
  readonly parents: readonly number[];
  readonly files: ReadonlyMap<string, number>;
}

export const PATHS = ['a', 'b', 'x/a', 'x/b', 'x/y/a', 'x/y/z/a', 'x', 'b/c', 'ÿ'];

/** A history without any order: branches, merges of up to four parents in any direction, and unrelated roots. */
export function randomHistory(commits: number, seed: number): readonly Model[] {
  const random = numbersFrom(seed);
  const made: Model[] = [];
  for (let index = 0; index < commits; index += 1) {
    const count = index === 0 || random(20) === 0 ? 0 : random(3) > 0 ? 1 : 2 + random(3);
    const recent = (): number => Math.max(0, index - 1 - random(random(4) === 0 ? index : 4));
    const parents = index === 0 ? [] : [...new Set(Array.from({ length: count }, recent))];
    made.push({
      parents,
      files: mergedFiles(
        parents.map((parent) => made[parent]?.files ?? new Map()),
        random,
      ),
    });
  }
  return made;
}

function mergedFiles(parents: readonly ReadonlyMap<string, number>[], random: (bound: number) => number) {
  const files = new Map<string, number>();
  const paths = new Set(parents.flatMap((each) => [...each.keys()]));
  for (const path of paths) {
    const content = parents[random(parents.length)]?.get(path);
    if (content !== undefined) files.set(path, content);
  }
  const changes = parents.length === 0 ? 4 : random(3);
  for (let change = 0; change < changes; change += 1) {
    const path = PATHS[random(PATHS.length)] ?? '';
    if (random(5) === 0) files.delete(path);
    else files.set(path, random(4));
  }
  // A path is a file or a folder.
  for (const path of [...files.keys()]) {
    if ([...files.keys()].some((other) => other.startsWith(`${path}/`))) files.delete(path);
  }
  return files;
}

function* importOf(history: readonly Model[]): Generator<string> {
  for (const [index, { parents, files }] of history.entries()) {
    yield `commit refs/heads/c${index}\nmark :${index + 1}\ncommitter A <a@example.org> ${1_700_000_000 + index} +0000\ndata 0\n`;
    for (const [position, parent] of parents.entries())
      yield `${position === 0 ? 'from' : 'merge'} :${parent + 1}\n`;
    yield 'deleteall\n';
    for (const [path, content] of files)
      yield `M 100644 inline ${path}\ndata ${`${content}`.length}\n${content}\n`;
    yield '\n';
  }
}

export async function importHistory(t: TestContext, history: readonly Model[], format = 'sha1') {
  const folder = join(await workingCopy(t), format);
  await git('/', ['init', '-q', `--object-format=${format}`, folder]);
  await git(folder, ['fast-import', '--quiet'], { input: [...importOf(history)].join('') });
  const oids = await git(folder, ['rev-parse', ...history.map((_, index) => `c${index}`)]);
  const oidBytes = format === 'sha1' ? OID_BYTES : 32;
  const gitDir = join(folder, '.git') as GitDir;
  return { gitDir, index: join(folder, 'changes'), oids: oids.split('\n'), oidBytes };
}

export type Imported = Awaited<ReturnType<typeof importHistory>>;

export function build(
  { gitDir, index, oidBytes }: Imported,
  tips: readonly string[],
  size: StepSize,
  objects?: CachedObjectReader,
) {
  const step = { folder: index, oidBytes, tips, size };
  const direct = objects === undefined ? {} : { direct: { reader: objects, path: gitDir } };
  return buildStep(step, new AbortController().signal, { ...direct, locate: async () => ({ gitDir }) });
}
