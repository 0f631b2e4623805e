import type { Oid, TreeEntry } from '../../git/format/model.ts';
import type { LastCommit } from '../../git/interface/history.ts';
import type { ObjectInfo } from '../../git/interface/snapshot.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { CONTENTS_LIMITS } from './limits.ts';
import type { ContentsEntry, ContentsPlace } from './model.ts';
import { submoduleUrlAt } from './submodules.ts';

export function lastOf(last: ReadonlyMap<string, LastCommit>, key: string): LastCommit {
  const found = last.get(key);
  if (found === undefined) throw new Error(`no commit changed the entry ${key}`);
  return found;
}

/** Describes an entry without the fields that only a request for a single entry returns. */
export async function described(
  place: ContentsPlace,
  entry: TreeEntry,
  path: string,
): Promise<Omit<ContentsEntry, 'lastCommit' | 'content'>> {
  const type = typeOf(entry);
  const { objects } = place.snapshot;
  const info = type === 'file' || type === 'symlink' ? await objects.info(entry.oid) : undefined;
  return {
    type,
    name: entry.name,
    path,
    oid: entry.oid,
    sizeBytes: info?.sizeBytes ?? 0,
    target: type === 'symlink' ? await readTarget(place, entry.oid, info) : null,
    submoduleUrl: type === 'submodule' ? await submoduleUrlAt(objects, place.commit, path) : null,
  };
}

/** @returns null for a target that is too long for a path, so that a listing does not fail because of one entry */
async function readTarget(
  place: ContentsPlace,
  oid: Oid,
  info: ObjectInfo | undefined,
): Promise<string | null> {
  if (info === undefined || info.sizeBytes > GIT_LIMITS.treePathBytesMax) return null;
  const bytes = await place.snapshot.objects.readBlob(oid, { blobBytesMax: GIT_LIMITS.treePathBytesMax });
  return Buffer.from(bytes).toString('utf8');
}

/** Returns null for content above the limit that `/settings/api` reports. The raw route has no such limit. */
export async function contentOf(
  place: ContentsPlace,
  entry: { oid: Oid; sizeBytes: number },
): Promise<Uint8Array | null> {
  if (entry.sizeBytes > CONTENTS_LIMITS.contentsBlobBytesMax) return null;
  return place.snapshot.objects.readBlob(entry.oid, { blobBytesMax: CONTENTS_LIMITS.contentsBlobBytesMax });
}

export function typeOf(entry: TreeEntry): ContentsEntry['type'] {
  if (entry.mode === '040000') return 'dir';
  if (entry.mode === '120000') return 'symlink';
  return entry.mode === '160000' ? 'submodule' : 'file';
}
