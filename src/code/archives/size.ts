import type { Oid, TreeEntry } from '../../git/format/model.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import { tooLargeForArchive } from '../../git/interface/transfers.ts';
import { ARCHIVE_LIMITS } from './limits.ts';

/** What the files of an archive take at least. */
interface Size {
  files: number;
  /** of all paths */
  pathBytes: number;
  bytes: number;
}

/**
 * Rejects a commit whose archive cannot be built, as far as a look at its first folders shows it. A few small trees can
 * stand for any number of files: git would send the beginning of such an archive before it gives up.
 *
 * @throws ForgeError `invalid`
 */
export async function requireSmallEnough(objects: ObjectReader, commit: Oid): Promise<void> {
  const { tree } = await objects.readCommit(commit);
  const folders = await firstFolders(objects, tree);
  const { files, pathBytes, bytes } = sizeOf(tree, folders, await blobSizes(objects, tree, folders));
  if (
    files > ARCHIVE_LIMITS.archiveFilesMax ||
    pathBytes > ARCHIVE_LIMITS.archivePathBytesMax ||
    bytes > ARCHIVE_LIMITS.archiveUnpackedBytesMax
  )
    throw tooLargeForArchive();
}

type Folders = ReadonlyMap<Oid, readonly TreeEntry[]>;

/** Reads different folders, the outer ones first, up to a limit. */
async function firstFolders(objects: ObjectReader, root: Oid): Promise<Folders> {
  const folders = new Map<Oid, readonly TreeEntry[]>();
  const pending = [root];
  const seen = new Set(pending);
  for (const oid of pending) {
    if (folders.size === ARCHIVE_LIMITS.archiveFoldersCountedMax) break;
    const entries = await objects.readTree(oid);
    folders.set(oid, entries);
    for (const entry of entries) {
      if (entry.mode !== '040000' || seen.has(entry.oid)) continue;
      seen.add(entry.oid);
      pending.push(entry.oid);
    }
  }
  return folders;
}

/**
 * Looks up the sizes of blobs, if the folders have the same ones again and again. Otherwise the size of an archive is about
 * that of what was pushed, and looking it up would take longer than it is worth.
 */
async function blobSizes(
  objects: ObjectReader,
  root: Oid,
  folders: Folders,
): Promise<ReadonlyMap<Oid, number>> {
  const blobs = new Set([...folders.values()].flat().flatMap(({ mode, oid }) => (isFile(mode) ? oid : [])));
  const { files } = sizeOf(root, folders, new Map());
  if (blobs.size > ARCHIVE_LIMITS.archiveBlobsSizedMax || files < blobs.size * REPEATED) return new Map();
  const sizes = new Map<Oid, number>();
  for (const oid of blobs) sizes.set(oid, (await objects.info(oid))?.sizeBytes ?? 0);
  return sizes;
}

/** Each blob is in so many files on average. */
const REPEATED = 8;

function isFile(mode: TreeEntry['mode']): boolean {
  return mode !== '040000' && mode !== '160000';
}

/** Adds up a folder with all its folders. One that was not read counts as a single empty file. */
function sizeOf(root: Oid, folders: Folders, blobs: ReadonlyMap<Oid, number>): Size {
  const known = new Map<Oid, Size>();
  const sizeOfFolder = (oid: Oid): Size => {
    const found = known.get(oid);
    if (found !== undefined) return found;
    const size = { files: 0, pathBytes: 0, bytes: 0 };
    for (const entry of folders.get(oid) ?? [UNREAD]) {
      const part = entry.mode === '040000' ? sizeOfFolder(entry.oid) : sizeOfFile(entry, blobs);
      size.files += part.files;
      size.pathBytes += part.pathBytes + part.files * (entry.name.length + 1);
      size.bytes += part.bytes;
    }
    known.set(oid, size);
    return size;
  };
  return sizeOfFolder(root);
}

const UNREAD: TreeEntry = { mode: '100644', name: '', oid: '' };

function sizeOfFile({ oid }: TreeEntry, blobs: ReadonlyMap<Oid, number>): Size {
  return { files: 1, pathBytes: 0, bytes: blobs.get(oid) ?? 0 };
}
