import { ForgeError, invalid } from '../../../base/core/failure.ts';
import type { Engine } from '../../engine.ts';
import { isQuotedPath } from '../../format/name-bytes.ts';
import type { BlamedCommit, BlamedLines } from '../../interface/blame.ts';
import type { CommitOf } from '../../interface/snapshot.ts';
import { GIT_LIMITS } from '../../limits.ts';
import { runGit } from '../../processes/child.ts';
import { failedByLimit } from '../../processes/git-failed-error.ts';
import { KnownComparisons } from '../known-comparisons.ts';
import { requireCommit } from '../walk.ts';

type Needs = Pick<Engine, 'completeFolder'>;

/** Finds the commits that brought the lines of files. The results never change, so the last ones are cached. */
export class Blames {
  readonly #engine: Needs;
  readonly #known = new KnownComparisons<readonly BlamedLines[]>({
    sizeMax: GIT_LIMITS.blamedLinesCachedMax,
    sizeOf: (groups) => groups.length + 1,
  });

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  /** See `History.blame`. */
  async find(commit: CommitOf, path: string): Promise<readonly BlamedLines[]> {
    if (isQuotedPath(path)) throw invalid('git cannot search for the lines of a file with this name');
    await requireCommit(commit);
    const { snapshot, oid } = commit;
    try {
      return await this.#known.find(`${snapshot.id} ${oid} ${path}`, async (signal) => {
        const { path: gitDir } = await this.#engine.completeFolder(snapshot.id, snapshot.objectFormat);
        const args = ['blame', '--incremental', oid, '--', path];
        const { stdout } = await runGit(
          { args, gitDir, memoryBytesMax: GIT_LIMITS.gitComparisonBytesMax },
          {
            slots: null,
            signal,
            deadlineMs: GIT_LIMITS.blameMs,
            lowPriorityAfterMs: GIT_LIMITS.comparedFilesInHasteMs,
          },
        );
        return parseBlame(stdout.toString());
      });
    } catch (error) {
      if (!failedByLimit(error)) throw error;
      const what = 'the history of this file is too long to search for each line';
      throw new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
    }
  }
}

const GROUP = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ (\d+) (\d+)$/;

/**
 * Reads groups of lines, in the order of the file. Each commit is described once, where it comes first.
 *
 * @see git-blame(1), INCREMENTAL OUTPUT
 */
function parseBlame(output: string): readonly BlamedLines[] {
  const commits = new Map<string, { -readonly [Key in keyof BlamedCommit]: BlamedCommit[Key] }>();
  const groups: BlamedLines[] = [];
  let oid = '';
  for (const line of output.split('\n')) {
    const group = GROUP.exec(line);
    if (group !== null) {
      const [, id = '', start, count] = group;
      oid = id;
      const commit = commits.get(oid) ?? { oid, authorName: '', seconds: 0, subject: '', previous: null };
      commits.set(oid, commit);
      groups.push({ start: Number(start), count: Number(count), commit });
      continue;
    }
    const commit = commits.get(oid);
    if (commit === undefined) continue;
    const space = line.indexOf(' ');
    const value = line.slice(space + 1);
    switch (space === -1 ? '' : line.slice(0, space)) {
      case 'author':
        commit.authorName = value.slice(0, GIT_LIMITS.blamedTextCharsMax);
        break;
      case 'author-time':
        commit.seconds = Number(value);
        break;
      case 'summary':
        commit.subject = value.slice(0, GIT_LIMITS.blamedTextCharsMax);
        break;
      case 'previous':
        commit.previous = value.split(' ', 1)[0] ?? null;
        break;
      default:
    }
  }
  return groups.toSorted((one, other) => one.start - other.start);
}
