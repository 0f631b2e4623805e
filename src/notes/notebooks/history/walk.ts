import type { Oid } from '../../../git/format/model.ts';
import type { BlobChange } from '../../../git/interface/history.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { renamesBetween } from '../index/rename-trace.ts';
import { compareTrees, folderTree, type TreeSource } from '../index/tree-changes.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { NoteVersion } from '../model.ts';
import { notePathOf, pathOf } from '../names.ts';
import type { VersionChange, VersionStep } from './model.ts';

/** A note at a commit, and its versions that the rows know. */
export interface WalkStart {
  readonly snapshot: Snapshot;
  readonly source: TreeSource;
  readonly commit: Oid;
  /** of the notebook, in the repository */
  readonly folder: string;
  /** in the notebook */
  readonly path: string;
  /** earlier versions from the rows, which know renames that git cannot detect */
  readonly known: readonly NoteVersion[];
}

interface PathAtCommit {
  readonly commit: Oid;
  readonly path: string;
}

interface PathChange extends BlobChange {
  readonly commit: Oid;
}

/**
 * Yields the versions of a note, the newest first. These are the commits that changed its file, at any path.
 *
 * @throws ForgeError `busy`, `not_found`
 */
export async function* walkVersions(
  git: Pick<GitStorage, 'history'>,
  start: WalkStart,
): AsyncGenerator<VersionStep, void> {
  let place: PathAtCommit | undefined = start;
  for (let renames = 0; place !== undefined; renames += 1) {
    if (renames > NOTE_LIMITS.noteHistoryRenamesMax) return;
    place = yield* walkPath(git, start, place);
  }
}

/** Yields the versions with one path. @returns the commit and the other path at which the history continues */
async function* walkPath(
  git: Pick<GitStorage, 'history'>,
  start: WalkStart,
  place: PathAtCommit,
): AsyncGenerator<VersionStep, PathAtCommit | undefined> {
  const { path } = place;
  const changes = changesAt(git, start, place);
  for (let next = await changes.next(); next.done !== true; ) {
    const { commit, before, after } = next.value;
    next = await changes.next();
    if (before === null && after !== null) {
      const origin = await originOf(start, { commit, path, after });
      if (origin !== undefined) {
        yield { commit, path, oid: after, changes: origin.changes };
        return origin.place;
      }
      const older = next.done === true ? undefined : next.value;
      // Before, the path may have belonged to another note.
      const isSame = older !== undefined && wasDeletedIn(start, path, older);
      yield { commit, path, oid: after, changes: [isSame ? 'restored' : 'created'] };
      if (!isSame) return undefined;
    } else {
      yield { commit, path, oid: after, changes: [after === null ? 'deleted' : 'content'] };
      yield* editsMergedBy(git, start, { commit, path });
    }
  }
  return undefined;
}

/** Yields the changes of a path, the newest first. */
async function* changesAt(
  git: Pick<GitStorage, 'history'>,
  { snapshot, folder }: WalkStart,
  place: PathAtCommit,
): AsyncGenerator<PathChange, void> {
  const path = inRepository(folder, place.path);
  const head = { snapshot, oid: place.commit };
  const limit = NOTE_LIMITS.noteHistoryListedAtOnce;
  for (let offset = 0; ; offset += limit) {
    const commits = await git.history.listCommits({ head, without: [], path }, { limit, offset });
    for (let at = 0; at < commits.length; at += NOTE_LIMITS.noteHistoryComparedAtOnce) {
      const some = commits.slice(at, at + NOTE_LIMITS.noteHistoryComparedAtOnce);
      const changes = await git.history.blobChangesOf(snapshot, some, path);
      for (const commit of some) {
        const change = changes.get(commit);
        // A change of the file mode alone is not a version.
        if (change !== undefined && change.before !== change.after) yield { commit, ...change };
      }
    }
    if (commits.length < limit) return;
  }
}

/**
 * Yields edits that a commit merges, and that the note had under an earlier path. Edits with the same path are found
 * with the path.
 */
async function* editsMergedBy(
  git: Pick<GitStorage, 'history'>,
  { snapshot, source, folder, known }: WalkStart,
  { commit, path }: PathAtCommit,
): AsyncGenerator<VersionStep, void> {
  const [, ...others] = (await source.objects.readCommit(commit)).parents;
  for (const other of others) {
    const { tree } = await source.objects.readCommit(other);
    if ((await findEntry(source.objects, tree, inRepository(folder, path))) !== undefined) continue;
    for (const earlier of new Set(known.map((version) => version.path))) {
      const changes = await git.history.blobChangesOf(snapshot, [other], inRepository(folder, earlier));
      const oid = changes.get(other)?.after ?? null;
      if (oid !== null) yield { commit: other, path: earlier, oid, changes: ['content'] };
    }
  }
}

interface Origin {
  readonly place: PathAtCommit;
  readonly changes: readonly VersionChange[];
}

/** Finds the path that a new file had before; undefined if the commit did not rename it. */
async function originOf(
  start: WalkStart,
  { commit, path, after }: { commit: Oid; path: string; after: Oid },
): Promise<Origin | undefined> {
  const { source, folder } = start;
  const [parent] = (await source.objects.readCommit(commit)).parents;
  if (parent === undefined) return undefined;
  const from = knownOrigin(start, parent, path) ?? (await similarOrigin(start, { parent, commit, path }));
  if (from === undefined) return undefined;
  const { tree } = await source.objects.readCommit(parent);
  const before = await findEntry(source.objects, tree, inRepository(folder, from));
  if (before === undefined) return undefined;
  const [one, other] = [notePathOf(from), notePathOf(path)];
  const changes: VersionChange[] = [];
  if (one.title !== other.title) changes.push('title');
  if (one.category !== other.category) changes.push('category');
  if (before.oid !== after) changes.push('content');
  return { place: { commit: parent, path: from }, changes };
}

/** Finds a rename in the rows, because a save can rename a note and replace all of its text. */
function knownOrigin({ known }: WalkStart, parent: Oid, path: string): string | undefined {
  return known.find((version) => version.commit === parent && version.path !== path)?.path;
}

async function similarOrigin(
  { source, folder }: WalkStart,
  { parent, commit, path }: { parent: Oid; commit: Oid; path: string },
): Promise<string | undefined> {
  const [before, after] = await Promise.all([
    folderTree(source, parent, folder),
    folderTree(source, commit, folder),
  ]);
  const renames = await renamesBetween(source, await compareTrees(source, before, after));
  for (const [from, to] of renames) if (to === path) return from;
  return undefined;
}

function wasDeletedIn({ known }: WalkStart, path: string, { before, after }: PathChange): boolean {
  return after === null && known.some((version) => version.path === path && version.oid === before);
}

function inRepository(folder: string, path: string): string {
  return pathOf(folder, path);
}
