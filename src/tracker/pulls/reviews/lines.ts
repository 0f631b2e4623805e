import { invalid, isFailure } from '../../../base/core/failure.ts';
import { hunkEndingAt } from '../../../git/format/diffs/hunk-at-line.ts';
import type { DiffLine, Hunk } from '../../../git/format/diffs/model.ts';
import { parseHunks } from '../../../git/format/diffs/parse-hunks.ts';
import { printHunk } from '../../../git/format/diffs/print-hunk.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { FileDifference } from '../../../git/interface/file-diffs.ts';
import type { CommitOf } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { GIT_LIMITS } from '../../../git/limits.ts';
import { rangeOf } from '../diffs/range.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { PullState } from '../model.ts';
import type { CommentedLines, NewReviewComment } from './model.ts';

/** A comment whose lines are in the differences. */
export interface PlacedComment extends NewReviewComment {
  readonly hunk: string;
}

/** The commit that a review is about, with its comments. */
export interface PlacedComments {
  readonly commit: Oid;
  readonly comments: readonly PlacedComment[];
}

type Ends = { readonly from: CommitOf; readonly to: CommitOf };

const SHOWN = { whitespace: 'show-all', contextLines: 3 } as const;

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
}

/** Finds the lines of comments in the differences of pull requests. */
export class DiffLines {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @param wanted the commit that is reviewed; undefined: the head
   * @throws ForgeError `invalid` for a commit that is not one of the pull request, and for lines outside of the
   *   differences; `not_found`, `busy`
   */
  async place(
    pull: PullState,
    wanted: Oid | undefined,
    comments: readonly NewReviewComment[],
  ): Promise<PlacedComments> {
    const head = pull.head.sha;
    const commit = wanted ?? head;
    if (commit === head && comments.length === 0) return { commit, comments: [] };
    const ends = await this.#endsAt(pull, commit);
    const placed = new Map<NewReviewComment, PlacedComment>();
    // The hunks of one file after the other, because those of many large files take much memory.
    for (const [path, ofFile] of Map.groupBy(comments, (comment) => comment.path)) {
      const file = await this.#fileAt(ends, path);
      const hunks = await this.#hunksOf(ends, file);
      for (const comment of ofFile) placed.set(comment, placedIn(file, hunks, comment));
    }
    return { commit, comments: comments.flatMap((comment) => placed.get(comment) ?? []) };
  }

  /** Returns the commits between which the differences are that a reviewer of a commit sees. */
  async #endsAt(pull: PullState, commit: Oid): Promise<Ends> {
    const { refs, history } = this.#use.git;
    const snapshot = await refs.open(pull.repositoryId);
    const { from, head } = await rangeOf(history, snapshot, pull);
    if (commit === head.oid) return { from, to: head };
    const to = { snapshot, oid: commit };
    const isCommit = (await snapshot.objects.info(commit))?.type === 'commit';
    if (!isCommit || !(await this.#isBetween(to, { from, to: head })))
      throw invalid(`${commit} is not a commit of the pull request`);
    const start = await history.mergeBase(from, to);
    return { from: start === undefined ? from : { snapshot, oid: start }, to };
  }

  async #isBetween(commit: CommitOf, { from, to }: Ends): Promise<boolean> {
    const { history } = this.#use.git;
    const isInHead = (await history.countBetween(commit, to)).behind === 0;
    return isInHead && (await history.countBetween(commit, from)).behind > 0;
  }

  async #hunksOf(ends: Ends, file: FileDifference): Promise<readonly Hunk[]> {
    const { path } = file;
    const sources = { from: ends.from.snapshot, to: ends.to.snapshot };
    const diff = await this.#use.git.history.diffOfFile(sources, file, SHOWN);
    if (diff.kind === 'binary') throw invalid(`the file ${path} is binary: it has no lines`);
    if (diff.kind === 'too_large') throw invalid(`the differences of ${path} are too large`);
    return parseHunks(diff.hunks);
  }

  /** Finds a changed file by its path, or by the path before it was renamed. @throws ForgeError `invalid` */
  async #fileAt({ from, to }: Ends, path: string): Promise<FileDifference> {
    const find = (side: 'old' | 'new') =>
      this.#use.git.history.findChangedFile(from, to, { side, path }, SHOWN);
    const file = (await find('new')) ?? (await find('old'));
    if (file === undefined) throw invalid(`the pull request does not change the file ${path}`);
    return file;
  }
}

/** @throws ForgeError `invalid` for lines outside of the hunks */
function placedIn(file: FileDifference, hunks: readonly Hunk[], comment: NewReviewComment): PlacedComment {
  const hunk = hunkOf(hunks, comment);
  // Lines of the new side are in the file that has the new path, and follow that file.
  return comment.side === 'new' ? { ...comment, path: file.path, hunk } : { ...comment, hunk };
}

/** Returns the text of the hunk that ends with the lines. @throws ForgeError `invalid` */
function hunkOf(hunks: readonly Hunk[], { path, side, line, extraLines }: CommentedLines): string {
  const last = line + extraLines;
  const ending = hunkEndingAt(hunks, { side, line: last }, { linesBefore: Number.POSITIVE_INFINITY });
  const first = ending?.lines.findIndex((each) => numberOn(side, each) === line) ?? -1;
  if (ending === undefined || first === -1) {
    const lines = extraLines === 0 ? `line ${line}` : `lines ${line} to ${last}`;
    throw invalid(`the differences do not have ${lines} of the ${side} side of ${path}`);
  }
  const commented = ending.lines.length - 1 - first;
  for (let linesBefore = Math.max(commented, GIT_LIMITS.commentedLinesBeforeMax); ; linesBefore >>= 1) {
    const shown = hunkEndingAt(hunks, { side, line: last }, { linesBefore });
    const text = shown === undefined ? '' : printHunk(shown);
    if (text.length <= PULL_LIMITS.commentedHunkCharsMax || linesBefore === 0) return text;
  }
}

function numberOn(side: CommentedLines['side'], { oldNumber, newNumber }: DiffLine): number | null {
  return side === 'old' ? oldNumber : newNumber;
}

/** Whether objects are gone, or there is too much to compare. */
export function isUnknown(error: unknown): boolean {
  return isFailure(error, 'not_found', 'invalid');
}
