/** A file that stands for an object of git-lfs. */
export interface LfsPointer {
  /** SHA-256, 64 hex digits */
  readonly oid: string;
  readonly sizeBytes: number;
}

/** Larger files are never pointers. */
export const LFS_POINTER_BYTES_MAX = 1024;

const VERSION = 'version https://git-lfs.github.com/spec/v1';
const OID = /^oid sha256:([0-9a-f]{64})$/;
const SIZE = /^size (\d{1,16})$/;

/**
 * Parses a pointer: a version, an id and a size, each on a separate line. More lines may follow.
 *
 * @returns undefined for any other content
 */
export function parseLfsPointer(content: Uint8Array): LfsPointer | undefined {
  if (content.length > LFS_POINTER_BYTES_MAX) return undefined;
  const [version, oidLine = '', sizeLine = ''] = Buffer.from(content).toString('latin1').split('\n');
  if (version !== VERSION) return undefined;
  const [, oid] = OID.exec(oidLine) ?? [];
  const [, size] = SIZE.exec(sizeLine) ?? [];
  if (oid === undefined || size === undefined || !Number.isSafeInteger(Number(size))) return undefined;
  return { oid, sizeBytes: Number(size) };
}

/** Returns the content of a pointer: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md#the-pointer */
export function formatLfsPointer({ oid, sizeBytes }: LfsPointer): Buffer {
  return Buffer.from(`${VERSION}\noid sha256:${oid}\nsize ${sizeBytes}\n`);
}
