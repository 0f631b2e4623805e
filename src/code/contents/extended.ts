import { setImmediate } from 'node:timers/promises';
import { notFound } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Commit, Oid, TreeEntry } from '../../git/format/model.ts';
import type { LastCommit } from '../../git/interface/history.ts';
import { findEntry } from '../../git/trees/find-entry.ts';
import { LFS_POINTER_BYTES_MAX, parseLfsPointer } from '../../hosting/lfs/pointer.ts';
import { contentOf, described } from './entries.ts';
import type { LastCommits } from './last-commits/service.ts';
import type { ContentsLocation, ContentsPlace, ExtendedEntry, Included } from './model.ts';

/** Entries that are described before other requests get a turn. */
const ENTRIES_IN_ONE_GO = 100;

export type ExtendedContents =
  | { readonly kind: 'entry'; readonly entry: ExtendedEntry }
  | { readonly kind: 'list'; readonly entries: readonly ExtendedEntry[] };

/**
 * Reads a file or lists a folder with only the parts that were asked for.
 *
 * @throws ForgeError `not_found`, `busy`
 */
export async function readExtended(
  lastCommits: LastCommits,
  location: ContentsLocation,
  included: Included,
): Promise<ExtendedContents> {
  const { path, commit, snapshot } = location;
  const { objects } = snapshot;
  const { tree } = await objects.readCommit(commit);
  const entry: Pick<TreeEntry, 'mode' | 'oid'> | undefined =
    path === '' ? { mode: '040000', oid: tree } : await findEntry(objects, tree, path);
  if (entry === undefined) throw notFound('path');
  const isFolder = entry.mode === '040000';
  const folder = isFolder ? path : path.slice(0, Math.max(path.lastIndexOf('/'), 0));
  const entries = isFolder ? await objects.readTree(entry.oid) : [entry as TreeEntry];
  const last = included.commits
    ? await lastCommits.find(
        snapshot,
        commit,
        folder,
        entries.map(({ name }) => name),
      )
    : new Map<string, LastCommit>();
  const commits = new Map<Oid, Commit>();
  const extended: ExtendedEntry[] = [];
  for (const [index, each] of entries.entries()) {
    if (index % ENTRIES_IN_ONE_GO === 0) await giveWay();
    const lastOid = last.get(each.name)?.oid;
    const lastCommit =
      lastOid === undefined ? null : (commits.get(lastOid) ?? (await objects.readCommit(lastOid)));
    if (lastCommit !== null) commits.set(lastCommit.oid, lastCommit);
    const at = isFolder ? joined(path, each.name) : path;
    extended.push(
      await extendedEntry(
        location,
        each,
        at,
        { ...included, content: included.content && !isFolder },
        lastCommit,
      ),
    );
  }
  const [only] = extended;
  return isFolder || only === undefined
    ? { kind: 'list', entries: extended }
    : { kind: 'entry', entry: only };
}

async function giveWay(): Promise<void> {
  currentCaller().left?.throwIfAborted();
  await setImmediate();
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

async function extendedEntry(
  place: ContentsPlace,
  entry: TreeEntry,
  path: string,
  included: Included,
  lastCommit: Commit | null,
): Promise<ExtendedEntry> {
  const about = await described(place, entry, path);
  const isFile = about.type === 'file';
  const hasContent = included.content && isFile;
  const mayBePointer = included.lfs && isFile && about.sizeBytes <= LFS_POINTER_BYTES_MAX;
  const { objects } = place.snapshot;
  return {
    ...about,
    content: hasContent ? await contentOf(place, about) : null,
    lastCommit,
    lfs: mayBePointer
      ? (parseLfsPointer(await objects.readBlob(entry.oid, { blobBytesMax: LFS_POINTER_BYTES_MAX })) ?? null)
      : null,
  };
}
