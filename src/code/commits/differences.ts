import { notFound } from '../../base/core/failure.ts';
import type { Hunk } from '../../git/format/diffs/model.ts';
import { parseHunks } from '../../git/format/diffs/parse-hunks.ts';
import type {
  DifferenceCounts,
  FileDiff,
  FileDifference,
  Whitespace,
} from '../../git/interface/file-diffs.ts';
import type { CommitOf } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { COMMIT_LIMITS } from './limits.ts';

/** The lines of a file that differ; `unread` if one response has no room for them. */
export type ShownDiff =
  | { readonly kind: 'text'; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'binary' | 'too_large' | 'unread' };

/** A file that differs, with its lines. */
export interface ShownFile extends FileDifference {
  readonly diff: ShownDiff;
}

/** The first files that differ between two commits. */
export interface Differences {
  readonly files: readonly ShownFile[];
  /** of all files */
  readonly total: DifferenceCounts;
  /** path of the only file that was asked for */
  readonly only: string | undefined;
}

/** Two commits whose files are compared. */
export interface ComparedEnds {
  /** null: nothing, as before the first commit */
  readonly from: CommitOf | null;
  readonly to: CommitOf;
}

interface Dependencies {
  readonly git: Pick<GitStorage, 'history'>;
}

/** Reads the lines that differ between two commits which the viewer may read. */
export class DifferenceReader {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Reads the first files that differ, in two git processes. The lines of the others may be asked for file by file.
   *
   * @param shown.only path of the only file whose lines are read
   * @throws ForgeError as `History.compareFiles`; `not_found` if that file does not differ
   */
  async read(
    { from, to }: ComparedEnds,
    { whitespace, only }: { readonly whitespace: Whitespace; readonly only?: string | undefined },
  ): Promise<Differences> {
    if (only !== undefined) return this.#readOne({ from, to }, { whitespace, only });
    const { history } = this.#use.git;
    const slice = { offset: 0, limit: COMMIT_LIMITS.differencesListedMax };
    const lines = { whitespace, contextLines: CONTEXT_LINES, filesMax: COMMIT_LIMITS.differencesReadMax };
    const [{ files, total }, diffs] = await Promise.all([
      history.compareFiles(from, to, { whitespace, slice }),
      history.diffsOfFiles(from, to, lines),
    ]);
    const shown = files.map((file) => ({ ...file, diff: shownDiff(diffs.get(file.path)) }));
    return { files: shown, total, only: undefined };
  }

  async #readOne(
    { from, to }: ComparedEnds,
    { whitespace, only }: { readonly whitespace: Whitespace; readonly only: string },
  ): Promise<Differences> {
    const { history } = this.#use.git;
    const slice = { offset: 0, limit: 0 };
    const [file, { total }] = await Promise.all([
      this.#find({ from, to }, { whitespace, path: only }),
      history.compareFiles(from, to, { whitespace, slice }),
    ]);
    if (file === undefined) throw notFound('file');
    const sources = { from: (from ?? to).snapshot, to: to.snapshot };
    const diff = await history.diffOfFile(sources, file, { whitespace, contextLines: CONTEXT_LINES });
    return { files: [{ ...file, diff: shownDiff(diff) }], total, only };
  }

  async #find(
    { from, to }: ComparedEnds,
    { whitespace, path }: { readonly whitespace: Whitespace; readonly path: string },
  ): Promise<FileDifference | undefined> {
    const { history } = this.#use.git;
    return (
      (await history.findChangedFile(from, to, { side: 'new', path }, { whitespace })) ??
      (await history.findChangedFile(from, to, { side: 'old', path }, { whitespace }))
    );
  }
}

/** As in git. */
const CONTEXT_LINES = 3;

function shownDiff(diff: FileDiff | undefined): ShownDiff {
  if (diff === undefined) return { kind: 'unread' };
  return diff.kind === 'text' ? { kind: 'text', hunks: parseHunks(diff.hunks) } : { kind: diff.kind };
}
