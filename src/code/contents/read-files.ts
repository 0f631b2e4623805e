import { setImmediate } from 'node:timers/promises';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Oid, TreeEntry } from '../../git/format/model.ts';
import type { LastCommit } from '../../git/interface/history.ts';
import { findEntry } from '../../git/trees/find-entry.ts';
import { contentOf, described, lastOf } from './entries.ts';
import type { LastCommits } from './last-commits/service.ts';
import type { ContentsEntry, ContentsPlace } from './model.ts';

interface FoundFile {
  readonly entry: TreeEntry;
  readonly lastCommit: LastCommit;
}

/**
 * Reads several files, symlinks and submodules of one commit, in the order of `paths`. Folders and missing paths are null.
 *
 * @param options.contentBytesMax of all files together; files that exceed it have no content
 */
export async function readFiles(
  lastCommits: LastCommits,
  place: ContentsPlace,
  paths: readonly string[],
  options: { contentBytesMax: number },
): Promise<readonly (ContentsEntry | null)[]> {
  const { tree } = await place.snapshot.objects.readCommit(place.commit);
  const found = new Map<string, FoundFile>();
  for (const [folder, inFolder] of byFolder(paths)) {
    currentCaller().left?.throwIfAborted();
    // Reading from memory never yields to other requests by itself.
    await setImmediate();
    await findIn(lastCommits, place, { tree, folder, paths: inFolder, found });
  }
  const entries: (ContentsEntry | null)[] = [];
  let bytesLeft = options.contentBytesMax;
  for (const path of paths) {
    const file = found.get(path);
    const entry = file === undefined ? null : await readFile(place, path, file, bytesLeft);
    bytesLeft -= entry?.content?.length ?? 0;
    entries.push(entry);
  }
  return entries;
}

function byFolder(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const path of new Set(paths)) {
    const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return folders;
}

interface FolderSearch {
  /** the root */
  readonly tree: Oid;
  readonly folder: string;
  readonly paths: readonly string[];
  readonly found: Map<string, FoundFile>;
}

/** Adds the paths of one folder to `found`. */
async function findIn(
  lastCommits: LastCommits,
  place: ContentsPlace,
  { tree: root, folder, paths, found }: FolderSearch,
): Promise<void> {
  const { snapshot, commit } = place;
  const at = folder === '' ? root : await folderAt(place, root, folder);
  if (at === undefined) return;
  const wanted = new Map(paths.map((path) => [folder === '' ? path : path.slice(folder.length + 1), path]));
  const tree = await snapshot.objects.openTree(at);
  const entries = [...wanted.keys()].flatMap((name) => {
    const entry = tree.find(name);
    return entry === undefined || entry.mode === '040000' ? [] : [entry];
  });
  const names = entries.map(({ name }) => name);
  const last = await lastCommits.find(snapshot, commit, folder, names);
  for (const entry of entries) {
    const path = wanted.get(entry.name);
    if (path !== undefined) found.set(path, { entry, lastCommit: lastOf(last, entry.name) });
  }
}

async function folderAt(place: ContentsPlace, tree: Oid, folder: string): Promise<Oid | undefined> {
  const entry = await findEntry(place.snapshot.objects, tree, folder);
  return entry?.mode === '040000' ? entry.oid : undefined;
}

async function readFile(
  place: ContentsPlace,
  path: string,
  { entry, lastCommit }: FoundFile,
  contentBytesMax: number,
): Promise<ContentsEntry> {
  const about = await described(place, entry, path);
  const hasContent = about.type === 'file' && about.sizeBytes <= contentBytesMax;
  return { ...about, lastCommit, content: hasContent ? await contentOf(place, about) : null };
}
