import { randomBytes } from 'node:crypto';
import type { Oid } from '../../git/format/model.ts';
import type { RepositoryId, Snapshot } from '../../git/interface/snapshot.ts';
import type { ArchiveFormat } from '../../git/interface/transfers.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { StoredObject } from '../../storage/model.ts';

/** An authorized request for an archive. */
export interface ArchiveLocation {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly commit: Oid;
  /** ms; the committer's date */
  readonly committedAt: number;
  readonly format: ArchiveFormat;
  /** branch, tag or commit, as the request has it */
  readonly ref: string;
}

/** An archive in the object store. */
export interface FoundArchive {
  /** the name of its bytes */
  readonly name: string;
  readonly stored: StoredObject;
}

export interface ArchiveFile {
  /** in the object store */
  readonly key: string;
}

export interface NewArchiveFile extends ArchiveFile {
  readonly repositoryId: RepositoryId;
  readonly bytes: number;
  /** ms */
  readonly usedAt: number;
}

export interface ArchiveSettings {
  /** bytes of all stored archives */
  readonly storedBytesMax: number;
  /** whether a client is sent to the object store */
  readonly servesDirect: boolean;
}

const FORMATS: readonly ArchiveFormat[] = ['zip', 'tar.gz', 'bundle'];

/** Splits `main.tar.gz` into a ref and a format; undefined without a known format. */
export function splitArchiveName(name: string): { ref: string; format: ArchiveFormat } | undefined {
  const format = FORMATS.find((each) => name.endsWith(`.${each}`));
  return format === undefined ? undefined : { ref: name.slice(0, -format.length - 1), format };
}

/** Name of the folder in an archive that has all files. */
export function folderIn({ repository }: Pick<ArchiveLocation, 'repository'>): string {
  return repository.name.toLowerCase();
}

/** Name of the file that a client stores. */
export function downloadName({ repository, ref, format }: ArchiveLocation): string {
  return `${repository.name}-${ref.replaceAll('/', '-')}.${format}`;
}

/**
 * Returns a name for the bytes of an archive that is to be built. They follow from commit, folder and format, except
 * for a bundle: git does not always pack a history in the same way, so each build of one has a name of its own.
 */
export function newContentName(location: ArchiveLocation): string {
  const { commit, format } = location;
  return format === 'bundle'
    ? `${commit}.${randomBytes(8).toString('hex')}.${format}`
    : `${commit}-${folderIn(location)}.${format}`;
}

/** Whether some build of this archive has or had this name. */
export function isContentName(location: ArchiveLocation, name: string): boolean {
  if (location.format !== 'bundle') return name === newContentName(location);
  return name.startsWith(`${location.commit}.`) && /\.[0-9a-f]{16}\.bundle$/.test(name);
}

/** Key in the object store of the archive with these bytes. */
export function keyOf({ repository }: ArchiveLocation, contentName: string): string {
  return `archives/${repository.id}/${contentName}`;
}

/** Equal for archives that one build can serve. */
export function buildKeyOf({ repository, commit, format }: ArchiveLocation): string {
  return `${repository.id}/${commit}-${repository.name.toLowerCase()}.${format}`;
}
