import type { Slice } from '../../base/core/paging.ts';
import type { Engine } from '../engine.ts';
import type { Commit, Oid } from '../format/model.ts';
import type { BlamedLines, FoundLines } from '../interface/blame.ts';
import type {
  ComparedFiles,
  DiffOptions,
  DiffSources,
  FileComparison,
  FileDiff,
  FileDifference,
  PathOnSide,
} from '../interface/file-diffs.ts';
import type {
  AheadBehind,
  BlobChange,
  ChangedFile,
  CommitChanges,
  CommitRange,
  DiffText,
  GainedCommits,
  History,
  IndexedLastCommits,
} from '../interface/history.ts';
import type { CommitOf, ObjectSource, Snapshot } from '../interface/snapshot.ts';
import { AheadBehindCounts } from './ahead-behind.ts';
import { blobChangesOf } from './blob-history.ts';
import { changesOfCommits, filesBetween } from './commit-changes.ts';
import { compareBlobs } from './compare-blobs.ts';
import { FileComparisons } from './compare-files.ts';
import { Blames } from './lines/blame.ts';
import { streamDiff } from './lines/diff-text.ts';
import { FileDiffs } from './lines/file-diffs.ts';
import { searchFiles } from './lines/search-files.ts';
import { SeveralDiffs } from './lines/several-diffs.ts';
import { countCommits, listCommits, listGained } from './list-commits.ts';
import { listReaching } from './list-reaching.ts';
import { MergeBases } from './merge-base.ts';
import { sharedObjects } from './shared-objects.ts';
import { requireCommit, walk } from './walk.ts';

type Needs = Pick<Engine, 'changes' | 'completeFolder' | 'placedFolder' | 'transfers'>;

/** Asks the change index, and git in the folders of the repositories. */
export class LocalHistory implements History {
  readonly #use: Needs;
  readonly #fileComparisons: FileComparisons;
  readonly #fileDiffs: FileDiffs;
  readonly #severalDiffs: SeveralDiffs;
  readonly #counts: AheadBehindCounts;
  readonly #blames: Blames;
  readonly #mergeBases: MergeBases;

  constructor(engine: Needs) {
    this.#use = engine;
    this.#fileComparisons = new FileComparisons(engine);
    this.#fileDiffs = new FileDiffs(engine);
    this.#severalDiffs = new SeveralDiffs(engine);
    this.#counts = new AheadBehindCounts(engine);
    this.#blames = new Blames(engine);
    this.#mergeBases = new MergeBases(engine);
  }

  /** @see git-rev-list(1), --left-right */
  async countBetween(base: CommitOf, head: CommitOf): Promise<AheadBehind> {
    await Promise.all([base, head].map(requireCommit));
    const location = await sharedObjects(this.#use, head.snapshot, base.snapshot);
    const args = ['rev-list', '--count', '--left-right', '--stdin'];
    const counts = await walk({ args, ...location }, `${base.oid}...${head.oid}\n`);
    const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number);
    return { behind, ahead };
  }

  countsAgainst(base: CommitOf, heads: readonly Oid[]): Promise<ReadonlyMap<Oid, AheadBehind>> {
    return this.#counts.find(base, heads);
  }

  blame(commit: CommitOf, path: string): Promise<readonly BlamedLines[]> {
    return this.#blames.find(commit, path);
  }

  searchFiles(commit: CommitOf, text: string): Promise<FoundLines> {
    return searchFiles(this.#use, commit, text);
  }

  mergeBase(one: CommitOf, other: CommitOf): Promise<Oid | undefined> {
    return this.#mergeBases.find(one, other);
  }

  changesOf(
    snapshot: Snapshot,
    commits: readonly Commit[],
    options: { countsLines: boolean },
  ): Promise<ReadonlyMap<Oid, CommitChanges>> {
    return changesOfCommits(this.#use, snapshot, commits, options);
  }

  filesBetween(from: CommitOf, to: CommitOf): Promise<readonly ChangedFile[]> {
    return filesBetween(this.#use, from, to);
  }

  compareFiles(from: CommitOf | null, to: CommitOf, options: FileComparison): Promise<ComparedFiles> {
    return this.#fileComparisons.compare(from, to, options);
  }

  findChangedFile(
    from: CommitOf | null,
    to: CommitOf,
    at: PathOnSide,
    options: Pick<FileComparison, 'whitespace'>,
  ): Promise<FileDifference | undefined> {
    return this.#fileComparisons.find(from, to, at, options);
  }

  diffOfFile(
    sources: DiffSources,
    file: Pick<FileDifference, 'before' | 'after'>,
    options: DiffOptions,
  ): Promise<FileDiff> {
    return this.#fileDiffs.find(sources, file, options);
  }

  diffsOfFiles(
    from: CommitOf | null,
    to: CommitOf,
    options: DiffOptions & { readonly filesMax: number },
  ): Promise<ReadonlyMap<string, FileDiff>> {
    return this.#severalDiffs.find(from, to, options);
  }

  blobChangesOf(
    snapshot: Snapshot,
    commits: readonly Oid[],
    path: string,
  ): Promise<ReadonlyMap<Oid, BlobChange>> {
    return blobChangesOf(this.#use, snapshot, commits, path);
  }

  compareBlobs(snapshot: Snapshot, blobs: { readonly from: Oid; readonly to: Oid }): Promise<string> {
    return compareBlobs(this.#use, snapshot, blobs);
  }

  listCommits(range: CommitRange, slice: Slice): Promise<readonly Oid[]> {
    return listCommits(this.#use, range, slice);
  }

  listGained(
    snapshot: Snapshot,
    move: { readonly tip: Oid; readonly base: Oid | null },
    limit: number,
  ): Promise<GainedCommits> {
    return listGained(this.#use, snapshot, move, limit);
  }

  countCommits(range: CommitRange): Promise<number> {
    return countCommits(this.#use, range);
  }

  listReaching(commit: CommitOf, tips: readonly Oid[]): Promise<ReadonlySet<Oid>> {
    return listReaching(this.#use, commit, tips);
  }

  streamDiff(text: DiffText, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    return streamDiff(this.#use, text, signal);
  }

  async findLastCommits(
    source: ObjectSource,
    wanted: { readonly commit: Oid; readonly folder: string; readonly names: readonly string[] },
    signal?: AbortSignal,
  ): Promise<IndexedLastCommits | undefined> {
    const { id, objectFormat: format } = source;
    // The index has files of its own, so the objects need not be files.
    const repository = { id, format, folder: await this.#use.placedFolder(id) };
    return this.#use.changes.find(repository, wanted, signal);
  }
}
