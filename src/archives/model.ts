import type { ArchiveFormat } from '../git/archives/model.ts';
import type { Oid, RepositoryId, Snapshot } from '../git/model.ts';
import type { Repository } from '../repositories/model.ts';

/** An authorized request for an archive. */
export interface ArchiveLocation {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
  readonly commit: Oid;
  readonly format: ArchiveFormat;
  /** branch, tag or commit, as the request has it */
  readonly ref: string;
}

/** A kept archive, and when it was last used. */
export interface KeptArchive {
  /** in the object store */
  readonly key: string;
  readonly bytes: number;
  /** ms */
  readonly usedAt: number;
}

export interface NewKeptArchive extends KeptArchive {
  readonly repositoryId: RepositoryId;
}

export interface ArchiveSettings {
  /** bytes of all kept archives */
  readonly keptBytesMax: number;
  /** whether a client is sent to the object store, if that has addresses for clients */
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

/** A name for the content of the archive. A bundle has no folder whose name could change. */
export function contentName(location: ArchiveLocation): string {
  const { commit, format } = location;
  return format === 'bundle' ? `${commit}.${format}` : `${commit}-${folderIn(location)}.${format}`;
}

/** Key of the archive in the object store. */
export function keyOf(location: ArchiveLocation): string {
  return `archives/${location.repository.id}/${contentName(location)}`;
}
