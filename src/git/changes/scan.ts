import { pipeline, Readable } from 'node:stream';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { type GitChild, startGit } from '../processes/child.ts';
import { GitFailedError, ranOutOfMemory } from '../processes/git-failed-error.ts';
import { CommitChanges, type Comparison, comparisonsOf } from './commit-changes.ts';
import type { NewCommits } from './new-commits.ts';
import { NONE } from './segments/format.ts';

/** Changes of the first `commits` new commits. */
export interface Scanned {
  commits: number;
  /** path in latin1 → pairs of positions: of the commit, and of the commit at which the history continues */
  readonly paths: Map<string, number[]>;
  changes: number;
  /** differences that were read, including differences of opaque commits */
  work: number;
  /** positions of commits whose changes are unknown */
  readonly opaque: number[];
}

export function nothingScanned(): Scanned {
  return { commits: 0, paths: new Map(), changes: 0, work: 0, opaque: [] };
}

interface ScanOptions {
  /** ends after the commit that reaches this many differences */
  readonly workMax: number;
  /** limit on the differences of one commit */
  readonly commitWorkMax: number;
  /** what happens to a commit with more differences: it becomes opaque, or the scan ends before it */
  readonly beyond: 'opaque' | 'end';
  readonly signal: AbortSignal;
}

/**
 * Adds the changes of the next commit.
 *
 * @param changes path in latin1 → index of the parent at which the history of the entry continues, or NONE
 */
export function addChanges(
  scanned: Scanned,
  { parents, base }: NewCommits,
  changes: ReadonlyMap<string, number>,
): void {
  const { paths, commits: position } = scanned;
  for (const [path, parent] of changes) {
    const next = parents[position]?.[parent]?.at ?? base + position;
    const known = paths.get(path);
    if (known === undefined) paths.set(path, [position, next]);
    else known.push(position, next);
  }
  scanned.changes += changes.size;
  scanned.commits += 1;
}

interface PartOptions extends ScanOptions {
  /** position of the first commit that this run does not compare */
  readonly until: number;
}

interface Question {
  readonly position: number;
  readonly comparison: Comparison;
  readonly line: string;
}

/**
 * Reads which entries each commit changed, until it has read `workMax` differences. A commit with too many changes or
 * parents is opaque, and walks read its trees instead.
 *
 * @see git-diff-tree(1), --stdin
 */
export async function scanChanges(
  location: ObjectsLocation,
  commits: NewCommits,
  options: ScanOptions,
): Promise<Scanned> {
  const scanned = nothingScanned();
  let alone = 0;
  while (scanned.commits < commits.oids.length && scanned.work < options.workMax) {
    const until = alone > 0 ? scanned.commits + 1 : commits.oids.length;
    const outcome = await new Scan(location, commits, scanned, { ...options, until }).run();
    alone = outcome === 'out of memory' ? COMPARED_ALONE : Math.max(0, alone - 1);
  }
  return scanned;
}

const LINES_PER_CHUNK = 100;
/** If git runs out of memory, it was comparing the next commit or the one after it. */
const COMPARED_ALONE = 2;

/** One run of git, which ends at the first commit that has too many changes. */
class Scan {
  readonly #location: ObjectsLocation;
  readonly #commits: NewCommits;
  readonly #scanned: Scanned;
  readonly #options: PartOptions;
  readonly #questions: Generator<Question>;
  #question: Question | undefined;
  #current: CommitChanges | undefined;
  #status: string | undefined;
  #isStopped = false;

  constructor(location: ObjectsLocation, commits: NewCommits, scanned: Scanned, options: PartOptions) {
    this.#location = location;
    this.#commits = commits;
    this.#scanned = scanned;
    this.#options = options;
    this.#questions = questionsFrom(commits, scanned.commits, options.until);
  }

  async run(): Promise<'done' | 'out of memory'> {
    const child = await this.#start();
    let rest = '';
    try {
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        const tokens = (rest + chunk.toString('latin1')).split('\0');
        rest = tokens.pop() ?? '';
        for (const token of tokens) this.#take(token);
        if (this.#isStopped) break;
      }
    } catch {
      // The child was ended. The check of its exit reports it.
    }
    return this.#finish(child);
  }

  async #start(): Promise<GitChild> {
    const options = ['-r', '-t', '-c', '--root', '--always', '--no-renames', '--name-status', '-z'];
    const args = ['diff-tree', '--stdin', ...options];
    const memoryBytesMax = GIT_LIMITS.gitComparisonBytesMax;
    const run = { slots: null, signal: this.#options.signal, hasLowPriority: true };
    const child = await startGit({ args, memoryBytesMax, ...this.#location }, run);
    const input = questionsFrom(this.#commits, this.#scanned.commits, this.#options.until);
    pipeline(Readable.from(linesOf(input)), child.stdin, () => {});
    return child;
  }

  async #finish(child: GitChild): Promise<'done' | 'out of memory'> {
    if (this.#isStopped) child.end();
    const exit = await child.done;
    this.#options.signal.throwIfAborted();
    if (this.#isStopped) return 'done';
    if (exit.exitCode !== 0) {
      if (!ranOutOfMemory(exit)) throw new GitFailedError('diff-tree', exit);
      if (this.#options.until > this.#scanned.commits + 1) return 'out of memory';
      this.#giveUp(this.#options.workMax);
      return 'done';
    }
    this.#endQuestion();
    this.#endCommit();
    this.#skipTo(this.#options.until);
    return 'done';
  }

  /** Handles one item of the output: the id of the next comparison, a status, or the path that follows a status. */
  #take(token: string): void {
    if (this.#isStopped) return;
    if (this.#status !== undefined) {
      this.#change(token);
      this.#status = undefined;
    } else if (token.length === this.#commits.oids[0]?.length) this.#nextQuestion(token);
    else this.#status = token;
  }

  #change(path: string): void {
    if (this.#question === undefined || this.#current === undefined)
      throw new Error('a change without a commit');
    this.#current.add(this.#question.comparison, path);
    if (this.#current.work > this.#options.commitWorkMax) this.#giveUp(this.#current.work);
  }

  /** Ends the scan at a commit with too many changes, after it has read `work` differences. */
  #giveUp(work: number): void {
    this.#isStopped = true;
    this.#scanned.work += this.#options.beyond === 'end' ? this.#options.workMax : work;
    this.#current = undefined;
    if (this.#options.beyond === 'opaque') this.#addOpaque();
  }

  #nextQuestion(oid: string): void {
    this.#endQuestion();
    const last = this.#question;
    const { value } = this.#questions.next();
    this.#question = value ?? undefined;
    if (value?.position !== last?.position) this.#endCommit();
    if (value === undefined || this.#isStopped) return;
    const expected = this.#commits.oids[value.position];
    if (oid !== expected) throw new Error(`git compared ${oid} instead of ${expected}`);
    this.#skipTo(value.position);
    this.#current ??= new CommitChanges(this.#commits.parents[value.position]?.length ?? 0);
  }

  #endQuestion(): void {
    if (this.#question !== undefined) this.#current?.end(this.#question.comparison);
  }

  #endCommit(): void {
    if (this.#current === undefined) return;
    this.#scanned.work += this.#current.work;
    addChanges(this.#scanned, this.#commits, this.#current.result());
    this.#current = undefined;
    this.#isStopped = this.#scanned.work >= this.#options.workMax;
  }

  /** Counts the commits before `position` that git did not compare. */
  #skipTo(position: number): void {
    while (this.#scanned.commits < position) this.#addOpaque();
  }

  #addOpaque(): void {
    this.#scanned.opaque.push(this.#scanned.commits);
    this.#scanned.commits += 1;
  }
}

function* questionsFrom(commits: NewCommits, from: number, until: number): Generator<Question> {
  for (let position = from; position < until; position += 1) {
    const parents = commits.parents[position] ?? [];
    const isOpaque = parents.length > GIT_LIMITS.parentsComparedMax || parents.some(({ at }) => at === NONE);
    const oid = commits.oids[position] ?? '';
    for (const comparison of isOpaque ? [] : comparisonsOf(parents.length)) {
      yield { position, comparison, line: [oid, ...compared(comparison, parents)].join(' ') };
    }
  }
}

function compared(comparison: Comparison, parents: NewCommits['parents'][number]): readonly string[] {
  if (comparison === 'all') return parents.map(({ oid }) => oid);
  const parent = parents[comparison === 'first' ? 0 : comparison];
  return parent === undefined ? [] : [parent.oid];
}

/** Joins lines, because each chunk costs more than its lines. */
function* linesOf(questions: Iterable<Question>): Generator<string> {
  let lines: string[] = [];
  for (const { line } of questions) {
    lines.push(`${line}\n`);
    if (lines.length < LINES_PER_CHUNK) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}
