import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { lineAfter } from '../../../git/format/diffs/line-after.ts';
import { parseHunks } from '../../../git/format/diffs/parse-hunks.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { CommitOf, Snapshot } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { rangeOf } from '../diffs/range.ts';
import type { PullState } from '../model.ts';
import { findPull } from '../store/pulls.ts';
import { isUnknown } from './lines.ts';
import { listCommentsElsewhere, moveComments, type PlaceOfComment } from './store/comments.ts';

const FOLLOW = defineJob<{ readonly issueId: number }>('pulls.follow-lines');

/** What has become of a file between two heads. */
interface MovedFile {
  readonly path: string;
  /** Returns the number of a line now; null if it is gone. */
  lineOf(line: number): number | null;
}

const COMPARED = { whitespace: 'show-all' } as const;
const ONLY_CHANGES = { whitespace: 'show-all', contextLines: 0 } as const;

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly jobs: Jobs;
}

/**
 * Makes comments follow their lines to the present head of a pull request. A line that was changed or removed has no place
 * there.
 */
export class FollowingLines {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs } = dependencies;
    jobs.register(FOLLOW, ({ issueId }, { signal }) => this.#follow(issueId, signal), { atOnceMax: 1 });
  }

  enqueue(tx: Tx, issueId: number): Promise<void> {
    return this.#use.jobs.enqueue(tx, FOLLOW, { key: `${issueId}`, payload: { issueId } });
  }

  async #follow(issueId: number, signal: AbortSignal): Promise<void> {
    const { database, git } = this.#use;
    const pull = await findPull(database.reader, issueId);
    if (pull === undefined) return;
    const comments = await listCommentsElsewhere(database.reader, issueId, pull.head.sha);
    const snapshot = await git.refs.open(pull.repositoryId).catch(unlessUnknown);
    if (comments.length === 0 || snapshot === undefined) return;
    const groups = Map.groupBy(comments, ({ commit, side, path }) => JSON.stringify([commit, side, path]));
    for (const group of groups.values()) {
      signal.throwIfAborted();
      await this.#moveAll(pull, snapshot, group);
    }
  }

  /** Moves comments on one side of a file. */
  async #moveAll(pull: PullState, snapshot: Snapshot, comments: readonly PlaceOfComment[]): Promise<void> {
    const [first] = comments;
    if (first === undefined) return;
    const file = await this.#moved(pull, snapshot, first).catch(unlessUnknown);
    const byLine = Map.groupBy(comments, (comment) => currentLineOf(comment, file));
    const { commit: from } = first;
    await this.#use.database.transaction(async (tx) => {
      for (const [currentLine, moved] of byLine) {
        const ids = moved.map(({ id }) => id);
        const path = file?.path ?? first.path;
        await moveComments(tx, { ids, from }, { commit: pull.head.sha, path, currentLine });
      }
    });
  }

  /** @returns undefined if the file is gone, or has no lines any more */
  async #moved(pull: PullState, snapshot: Snapshot, comment: PlaceOfComment): Promise<MovedFile | undefined> {
    const before = { snapshot, oid: comment.commit };
    const now = { snapshot, oid: pull.head.sha };
    if (comment.side === 'new') return this.#between(before, now, comment.path);
    const { history } = this.#use.git;
    const { from: start } = await rangeOf(history, snapshot, pull);
    const tip = pull.merge === null ? snapshot.ref(branchRef(pull.baseBranch)) : undefined;
    const base = tip === undefined ? start : { snapshot, oid: tip };
    const oid = (await history.mergeBase(base, before)) ?? base.oid;
    const startBefore = { snapshot, oid };
    const renamed = await history.findChangedFile(
      startBefore,
      before,
      { side: 'new', path: comment.path },
      COMPARED,
    );
    const file = await this.#between(startBefore, start, renamed?.previousPath ?? comment.path);
    return file && { ...file, path: comment.path };
  }

  async #between(from: CommitOf, to: CommitOf, path: string): Promise<MovedFile | undefined> {
    const stays = { path, lineOf: (line: number) => line };
    if (from.oid === to.oid) return stays;
    const { history } = this.#use.git;
    const file = await history.findChangedFile(from, to, { side: 'old', path }, COMPARED);
    if (file === undefined) return stays;
    if (file.after === null) return undefined;
    const diff = await history.diffOfFile({ from: from.snapshot, to: to.snapshot }, file, ONLY_CHANGES);
    if (diff.kind !== 'text') return undefined;
    const hunks = parseHunks(diff.hunks);
    return { path: file.path, lineOf: (line) => lineAfter(hunks, line) };
  }
}

/** Returns 0 for lines that are gone, or between which others were added or removed. */
function currentLineOf({ currentLine, extraLines }: PlaceOfComment, file: MovedFile | undefined): number {
  if (currentLine === 0 || file === undefined) return 0;
  const [first, last] = [file.lineOf(currentLine), file.lineOf(currentLine + extraLines)];
  return first !== null && last !== null && last - first === extraLines ? first : 0;
}

/** The objects are gone, or there is too much to compare. */
function unlessUnknown(error: unknown): undefined {
  if (!isUnknown(error)) throw error;
  return undefined;
}
