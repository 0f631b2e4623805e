import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { type GitChild, startGit } from '../processes/child.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { commitBytes, NONE } from './segments/format.ts';

/** Commits to index, each after its parents. */
export interface NewCommits {
  readonly base: number;
  readonly oids: readonly Oid[];
  /** one row for each commit: `commitBytes` */
  readonly rows: Buffer;
  readonly parents: readonly (readonly Parent[])[];
  /** whether these are all commits that the index lacks */
  readonly isComplete: boolean;
  /** tips of this step and of the later steps, if they were planned */
  readonly ahead: readonly (readonly Oid[])[];
}

export interface Parent {
  readonly oid: Oid;
  /** `base` + position of a new commit, number of an indexed commit, or NONE for a missing commit */
  readonly at: number;
}

export interface Listing {
  readonly tips: readonly Oid[];
  /** tips of indexed histories; some may have been deleted */
  readonly known: readonly Oid[];
  readonly base: number;
  readonly oidBytes: number;
  readonly commitsMax: number;
  /** whether to plan the later steps, if there are more commits than one step may index */
  readonly plansAhead: boolean;
  readonly signal: AbortSignal;
  /** returns the number of an indexed commit */
  numberOf(oid: Buffer): number | undefined;
}

/** A commit as git lists it. */
export interface Line {
  readonly oid: Oid;
  readonly seconds: number;
  readonly parents: readonly Oid[];
}

/**
 * Lists the oldest commits that `tips` reach and the index lacks.
 *
 * @see git-rev-list(1), --topo-order
 */
export async function listNewCommits(location: ObjectsLocation, listing: Listing): Promise<NewCommits> {
  const args = [
    'rev-list',
    '--topo-order',
    '--reverse',
    '--parents',
    '--timestamp',
    '--ignore-missing',
    '--stdin',
  ];
  const child = await startGit(
    { args, ...location },
    { slots: null, signal: listing.signal, hasLowPriority: true },
  );
  child.stdin.end([...listing.tips, ...listing.known.map((oid) => `^${oid}`), ''].join('\n'));
  const lines: Line[] = [];
  const plan = new Plan(listing);
  let isComplete = true;
  for await (const text of linesOf(child)) {
    const line = parse(text);
    if (listing.numberOf(Buffer.from(line.oid, 'hex')) !== undefined) continue;
    isComplete &&= lines.length < listing.commitsMax;
    if (isComplete) lines.push(line);
    else if (!listing.plansAhead) break;
    plan.add(line);
  }
  await finish(child, isComplete || listing.plansAhead, listing.signal);
  return { ...toCommits(lines, listing), isComplete, ahead: isComplete ? [] : plan.steps };
}

/**
 * Divides a long history into steps. git has to read the whole history before it prints the oldest commit. If each step
 * listed the history again, the time would grow with the square of its length.
 */
class Plan {
  /** The tips of each step, which are the commits without children in the step. */
  readonly steps: (readonly Oid[])[] = [];
  readonly #commitsMax: number;
  readonly #tips = new Set<Oid>();
  #commits = 0;

  constructor({ commitsMax }: Pick<Listing, 'commitsMax'>) {
    this.#commitsMax = commitsMax;
  }

  /** Adds the next commit, after its parents. */
  add({ oid, parents }: Line): void {
    for (const parent of parents) this.#tips.delete(parent);
    this.#tips.add(oid);
    this.#commits += 1;
    if (this.#commits % this.#commitsMax > 0) return;
    this.steps.push([...this.#tips].slice(0, GIT_LIMITS.indexedTipsRememberedMax));
    this.#tips.clear();
  }
}

/** Yields the lines of the output. Ends when the child is ended; a line reader would not notice that. */
async function* linesOf(child: GitChild): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // The child was ended. The check of its exit reports it.
  }
}

/** Parses `<seconds> <oid> <parent>…`. */
function parse(text: string): Line {
  const [seconds = '', oid = '', ...parents] = text.split(' ');
  return { oid, seconds: Number(seconds), parents };
}

async function finish(child: GitChild, isComplete: boolean, signal: AbortSignal): Promise<void> {
  if (!isComplete) child.end();
  const exit = await child.done;
  signal.throwIfAborted();
  if (isComplete && exit.exitCode !== 0) throw new GitFailedError('rev-list', exit);
}

/** @param lines commits, each after its parents */
export function toCommits(
  lines: readonly Line[],
  { base, oidBytes, numberOf }: Listing,
): Omit<NewCommits, 'isComplete' | 'ahead'> {
  const rows = Buffer.alloc(lines.length * commitBytes(oidBytes));
  const positions = new Map<Oid, number>();
  const at = (oid: Oid) => positions.get(oid) ?? numberOf(Buffer.from(oid, 'hex')) ?? NONE;
  const parents = lines.map((line, position) => {
    const row = position * commitBytes(oidBytes);
    rows.write(line.oid, row, 'hex');
    rows.writeDoubleLE(line.seconds, row + oidBytes);
    positions.set(line.oid, base + position);
    return line.parents.map((oid) => ({ oid, at: at(oid) }));
  });
  return { base, oids: lines.map(({ oid }) => oid), rows, parents };
}
