/** A file of a random history: a mode as in a tree object, and lines. */
interface File {
  readonly mode: string;
  readonly lines: readonly string[];
}

type Files = ReadonlyMap<string, File>;

interface RandomCommit {
  readonly files: Files;
  /** marks of other commits, from 1 on */
  readonly parents: readonly number[];
}

/** Numbers from a seed, the same each time: a linear congruential generator. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * end);
  }

  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }
}

const FOLDERS = ['', 'a/', 'a/b/', 'c/', 'c/d/e/'];

function newFile(random: Random): File {
  const lines = Array.from({ length: 4 + random.below(8) }, () => `line ${random.below(1_000)}`);
  return { mode: '100644', lines };
}

function newPath(random: Random): string {
  return `${random.of(FOLDERS)}f${random.below(12)}`;
}

/** Whether a file can be at a path: no file is above it or below it. */
function isFree(files: Files, path: string): boolean {
  return ![...files.keys()].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
}

/** Changes one thing, as people do: a line, a name, the name of a folder, a mode, a kind. */
function changed(files: Files, random: Random): Files {
  const after = new Map(files);
  const path = random.of([...after.keys()]);
  const file = path === undefined ? undefined : after.get(path);
  if (path === undefined || file === undefined) return after.set(newPath(random), newFile(random));
  const kind = random.below(12);
  if (kind < 5) {
    const at = random.below(file.lines.length);
    after.set(path, { ...file, lines: file.lines.with(at, `line ${random.below(1_000)}`) });
  } else if (kind < 7) {
    const added = newPath(random);
    if (isFree(after, added)) after.set(added, newFile(random));
  } else if (kind === 7) after.delete(path);
  else if (kind === 8) {
    const to = newPath(random);
    after.delete(path);
    if (isFree(after, to)) after.set(to, file);
  } else if (kind === 9) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const to = `moved${random.below(3)}/`;
    for (const [each, moved] of files) {
      if (folder === '' || !each.startsWith(folder)) continue;
      after.delete(each);
      after.set(to + each.slice(folder.length), moved);
    }
  } else if (kind === 10) after.set(path, { ...file, mode: file.mode === '100755' ? '100644' : '100755' });
  else {
    after.delete(path);
    const inside = random.below(2) === 0;
    after.set(inside ? `${path}/inside` : path, inside ? file : { mode: '120000', lines: ['target'] });
  }
  return after;
}

/** Makes commits that change a few files each; some are merges. The first one has marks 1. */
export function randomCommits(seed: number, count: number): readonly RandomCommit[] {
  const random = new Random(seed);
  let files: Files = new Map();
  for (let index = 0; index < 10; index += 1) {
    const path = newPath(random);
    if (isFree(files, path)) files = new Map(files).set(path, newFile(random));
  }
  const commits: RandomCommit[] = [{ files, parents: [] }];
  while (commits.length < count) {
    // Near the end, so that two commits have a short history apart.
    const pick = () => Math.max(0, commits.length - 1 - random.below(6));
    const [first, second] = [pick(), pick()];
    let next = commits[first]?.files ?? new Map();
    for (let change = 0; change <= random.below(3); change += 1) next = changed(next, random);
    const isMerge = first !== second && random.below(6) === 0;
    commits.push({ files: next, parents: isMerge ? [first + 1, second + 1] : [first + 1] });
  }
  return commits;
}

/** Returns when a commit was made, in seconds. @param index of the commit, from 0 on */
export type Clock = (index: number) => number;

export const steady: Clock = (index) => 1_700_000_000 + index;
/** All commits were made within one second, as tools do. */
export const stopped: Clock = () => 1_700_000_000;
/** The committers disagree about the time. */
export const wild: Clock = (index) => 1_700_000_000 + ((index * 7_919) % 101) * 1_000;

/** @see git-fast-import(1) */
export function fastImport(commits: readonly RandomCommit[], clock = steady): string {
  return commits
    .map(({ files, parents }, index) => {
      const [from, merge] = parents;
      const lines = [
        `commit refs/heads/c${index + 1}`,
        `mark :${index + 1}`,
        `committer Ada <ada@example.org> ${clock(index)} +0000`,
        'data 0',
        ...(from === undefined ? [] : [`from :${from}`]),
        ...(merge === undefined ? [] : [`merge :${merge}`]),
        'deleteall',
      ];
      for (const [path, { mode, lines: content }] of files) {
        const text = mode === '120000' ? content.join('') : `${content.join('\n')}\n`;
        lines.push(`M ${mode} inline ${path}`, `data ${Buffer.byteLength(text)}`, text);
      }
      return `${lines.join('\n')}\n`;
    })
    .join('');
}
