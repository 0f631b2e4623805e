export type ArchiveFormat = 'zip' | 'tar.gz' | 'bundle';

export interface ArchiveOptions {
  readonly format: ArchiveFormat;
  /** name of the folder in the archive that has all files; a bundle has none */
  readonly folder: string;
  /** ends git */
  readonly signal: AbortSignal;
}
