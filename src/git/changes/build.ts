import { join } from 'node:path';
import { syncFile } from '../../base/core/files/durable-files.ts';
import type { Oid } from '../format/model.ts';
import type { ObjectReader } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { GitFailedError } from '../processes/git-failed-error.ts';
import { mergeSegments } from './merge.ts';
import { type Listing, listNewCommits, type NewCommits } from './new-commits.ts';
import { nothingScanned, type Scanned, scanChanges } from './scan.ts';
import { type ScannedCommits, scanObjects } from './scan-objects.ts';
import {
  ensureIndexFolder,
  type Manifest,
  newSegmentName,
  readManifest,
  writeManifest,
} from './segments/manifest.ts';
import { SegmentFile } from './segments/segment-file.ts';
import { closeAll, numberIn, openSegments } from './segments/segments.ts';
import { writeBatch } from './write-batch.ts';

/** One step of building an index. All values can be sent to a worker. */
export interface BuildStep {
  /** folder of the index */
  readonly folder: string;
  readonly oidBytes: number;
  readonly tips: readonly Oid[];
  readonly size: StepSize;
}

/** Limits one step, and thereby its memory and the time for which it delays other work. */
export interface StepSize {
  readonly commitsMax: number;
  readonly workMax: number;
  readonly commitWorkMax: number;
  /** what happens to a commit with more work: it becomes opaque, or the step ends before it */
  readonly beyond: 'opaque' | 'end';
  /** limit on the commits and changes of the segments that one merge rewrites */
  readonly mergedMax: number;
  /** whether a step that finds too many commits plans the next steps, for which it reads the whole list */
  readonly plansAhead: boolean;
}

/** The objects to index. */
export interface IndexedObjects {
  /** reads a few commits in this thread, without a git process; absent in the worker */
  readonly direct?: DirectObjects;
  /** Called before git reads the objects: new ones may have to become files first. */
  locate(): Promise<ObjectsLocation>;
}

interface DirectObjects {
  readonly reader: ObjectReader;
  /** path of the repository, whose file `shallow` changes the parents that git sees */
  readonly path: string;
}

/** `full`: the limits of the index do not allow more. */
export type BuildOutcome = 'complete' | 'more' | 'full';

/** Adds the oldest new commits to an index. The index grows in steps, and is correct after each step. */
export async function buildStep(
  step: BuildStep,
  signal: AbortSignal,
  objects: IndexedObjects,
): Promise<BuildOutcome> {
  await ensureIndexFolder(step.folder);
  const { manifest, files } = openSegments(step.folder, readManifest(step.folder), step.oidBytes);
  try {
    if (isFull(files)) return 'full';
    // A planned step does not fit into a small step.
    if (manifest.ahead.length > 0 && !step.size.plansAhead) return 'more';
    const { commits, scanned } = await scanNewCommits(
      step,
      listingFor(step, manifest, files, signal),
      objects,
    );
    const added = scanned.commits === 0 ? null : await addSegment(step, commits, scanned);
    if (added !== null) files.push(new SegmentFile(join(step.folder, added.name)));
    const names = added === null ? manifest.segments : [...manifest.segments, added.name];
    const isScanned = (added?.commits ?? 0) === commits.oids.length;
    const isAll = manifest.ahead.length === 0 && commits.isComplete && isScanned;
    const progress = isAll
      ? { tips: step.tips.slice(0, GIT_LIMITS.indexedTipsRememberedMax), ahead: [] }
      : progressOf(manifest, commits, { isScanned, isIndexed: isIndexedIn(files) });
    const merged = await mergeLast(step, names, files);
    await writeIfChanged(step.folder, manifest, { segments: merged ?? names, ...progress });
    return isAll && merged !== null ? 'complete' : 'more';
  } catch (error) {
    if (manifest.ahead.length === 0 || !(error instanceof GitFailedError)) throw error;
    // Some of the planned commits may have been deleted since.
    await writeManifest(step.folder, { ...manifest, ahead: [] });
    return 'more';
  } finally {
    closeAll(files);
  }
}

/** Returns the tips that are indexed after a step, and the planned steps that remain. */
function progressOf(
  manifest: Manifest,
  commits: NewCommits,
  { isScanned, isIndexed }: { isScanned: boolean; isIndexed: (oid: Oid) => boolean },
): Pick<Manifest, 'tips' | 'ahead'> {
  const wasPlanned = manifest.ahead.length > 0;
  const ahead = wasPlanned ? manifest.ahead : commits.ahead;
  const [part, ...later] = ahead;
  // The step that made the plan has listed all commits of its part. A planned step may have listed only some.
  if (part === undefined || !isScanned || (wasPlanned && !commits.isComplete))
    return { tips: manifest.tips, ahead };
  // Commits may have been deleted since they were planned.
  const tips = [...part.filter(isIndexed), ...manifest.tips].slice(0, GIT_LIMITS.indexedTipsRememberedMax);
  return { tips, ahead: later };
}

async function writeIfChanged(folder: string, before: Manifest, after: Manifest): Promise<void> {
  if (JSON.stringify(before) !== JSON.stringify(after)) await writeManifest(folder, after);
}

function isFull(files: readonly SegmentFile[]): boolean {
  const sum = (of: 'changes' | 'opaque') => files.reduce((total, { sizes }) => total + sizes[of], 0);
  return sum('changes') >= GIT_LIMITS.changesIndexedMax || sum('opaque') >= GIT_LIMITS.opaqueCommitsMax;
}

function listingFor(
  step: BuildStep,
  manifest: Manifest,
  files: readonly SegmentFile[],
  signal: AbortSignal,
): Listing {
  const { oidBytes, size } = step;
  const numberOf = (oid: Buffer) => numberIn(files, oid);
  const known = [...manifest.tips, ...step.tips.filter(isIndexedIn(files))];
  const base = files.reduce((sum, { sizes }) => sum + sizes.commits, 0);
  const { commitsMax, plansAhead } = size;
  const tips = manifest.ahead[0] ?? step.tips;
  return { tips, known, base, oidBytes, commitsMax, plansAhead, signal, numberOf };
}

function isIndexedIn(files: readonly SegmentFile[]): (oid: Oid) => boolean {
  return (oid) => numberIn(files, Buffer.from(oid, 'hex')) !== undefined;
}

async function scanNewCommits(
  { size }: BuildStep,
  listing: Listing,
  { direct, locate }: IndexedObjects,
): Promise<ScannedCommits> {
  const few = direct === undefined ? undefined : await scanObjects(direct.reader, direct.path, listing);
  if (few !== undefined) return few;
  const location = await locate();
  const commits = await listNewCommits(location, listing);
  // A list that does not fit into a small step is left to a large one.
  if (!commits.isComplete && !size.plansAhead)
    return { commits: { ...commits, ahead: [] }, scanned: nothingScanned() };
  const scanned = await scanChanges(location, commits, { ...size, signal: listing.signal });
  return { commits, scanned };
}

async function addSegment(
  { folder, oidBytes }: BuildStep,
  commits: NewCommits,
  scanned: Scanned,
): Promise<{ name: string; commits: number }> {
  const name = newSegmentName();
  writeBatch(join(folder, name), commits, scanned, oidBytes);
  await syncFile(join(folder, name));
  return { name, commits: scanned.commits };
}

/**
 * Merges the last segments if they are of similar size, so that there are few and each commit is rewritten rarely.
 *
 * @returns the names of all segments afterwards; null if the merge is more work than this step may do
 */
async function mergeLast(
  { folder, size }: BuildStep,
  names: readonly string[],
  files: readonly SegmentFile[],
): Promise<readonly string[] | null> {
  let from = files.length - 1;
  let weight = weightOf(files[from]);
  while (from > 0 && weightOf(files[from - 1]) < 2 * weight) {
    from -= 1;
    weight += weightOf(files[from]);
  }
  if (from >= files.length - 1) return names;
  if (weight > size.mergedMax) return null;
  const name = newSegmentName();
  mergeSegments(join(folder, name), files.slice(from));
  await syncFile(join(folder, name));
  return [...names.slice(0, from), name];
}

function weightOf(file: SegmentFile | undefined): number {
  return file === undefined ? 0 : file.sizes.commits + file.sizes.changes;
}
