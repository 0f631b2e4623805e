import { idOf, type TransferOperation, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { NewBytes } from '../quota/model.ts';
import type { Repository } from '../repositories/model.ts';

export interface LfsSettings {
  /** false: git-lfs finds nothing on this server, and files that the API writes stay in their commits */
  readonly isEnabled: boolean;
  /** objects that one batch may name */
  readonly batchObjectsMax: number;
  /** of one object */
  readonly objectBytesMax: number;
  /** whether a client is sent to the object store */
  readonly servesDirect: boolean;
  /** whether a push is rejected if its commits need objects that the repository lacks */
  readonly requiresObjects: boolean;
}

/** An object as a client or a pointer names it. */
export interface NamedObject {
  /** SHA-256 of the content, 64 hex digits */
  readonly oid: string;
  readonly sizeBytes: number;
}

/** An upload of an object to a repository. */
export interface ObjectUpload {
  readonly viewer: Viewer;
  readonly repository: Pick<Repository, 'id' | 'owner'>;
  readonly object: NamedObject;
}

/** What an upload adds to the bytes of an owner. Its own parts that have arrived count already. */
export function bytesOf({ viewer, repository, object }: ObjectUpload): NewBytes {
  const uploads = { accountId: idOf(viewer), repositoryId: repository.id, names: [object.oid] };
  return { kind: 'size:git:lfs', sizeBytes: object.sizeBytes, uploads };
}

/** An object with its row. */
export interface LfsObject extends NamedObject {
  readonly id: number;
  readonly isStored: boolean;
}

/** What a client wants to transfer. */
export interface BatchRequest {
  readonly operation: TransferOperation;
  readonly objects: readonly NamedObject[];
  /** whether the client can continue an interrupted upload */
  readonly canResume: boolean;
}

/** What the client has to do with one object of a batch. */
export type BatchAnswer = NamedObject &
  (
    | { readonly kind: 'download'; readonly object: LfsObject }
    | { readonly kind: 'upload' }
    | { readonly kind: 'already there' }
    | { readonly kind: 'failed'; readonly status: 404 | 422; readonly message: string }
  );

const OID = /^[0-9a-f]{64}$/;

/** Whether a text is the id of an object. Every other text must be rejected before anything is looked up. */
export function isLfsOid(text: string): boolean {
  return OID.test(text);
}

/** Describes why such an object is impossible; undefined if it is possible. */
export function objectProblem({ oid, sizeBytes }: NamedObject): string | undefined {
  if (!isLfsOid(oid)) return 'the object id must be 64 lower-case hex digits';
  const isSize = Number.isSafeInteger(sizeBytes) && sizeBytes >= 0;
  return isSize ? undefined : 'the size must be a whole number of bytes';
}

/** Describes why an object cannot be the stored one of the same id; undefined if it can. */
export function sizeProblem(stored: NamedObject, { sizeBytes }: NamedObject): string | undefined {
  if (stored.sizeBytes === sizeBytes) return undefined;
  return `the object has ${stored.sizeBytes} bytes instead of ${sizeBytes}`;
}

/** @throws ForgeError `invalid` for an impossible object */
export function requireObject(object: NamedObject): void {
  const problem = objectProblem(object);
  if (problem !== undefined) throw invalid(problem);
}

/**
 * Key of an object in the object store. The id of the row makes it unique, so the bytes of a doomed row have another
 * key than the bytes of the row that replaces it.
 */
export function keyOf({ id, oid }: Pick<LfsObject, 'id' | 'oid'>): string {
  return `lfs/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}.${id}`;
}

/** Folder of the parts of all uploads that can continue after a cut. */
export const PARTS = 'lfs-parts/';
/** Offsets in keys have a fixed number of digits, so that keys have the order of the parts. */
const OFFSET_DIGITS = 16;

export function folderOfParts(uploadId: number): string {
  return `${PARTS}${uploadId}/`;
}

/** @param offset of the first byte */
export function keyOfPart(uploadId: number, offset: number): string {
  return `${folderOfParts(uploadId)}${String(offset).padStart(OFFSET_DIGITS, '0')}`;
}

export function tooLarge(what: string): ForgeError {
  return new ForgeError({ kind: 'too_large', what });
}

/** A file that one user has locked, so that others do not change it. The server only records the lock. */
export interface FileLock {
  readonly id: number;
  readonly path: string;
  readonly owner: { readonly id: number; readonly name: string };
  /** ms */
  readonly lockedAt: number;
}

export interface LockFilter {
  readonly id?: number | undefined;
  readonly path?: string | undefined;
}

/** Says why a file cannot be locked. */
export function whyLocked({ owner }: FileLock): string {
  return `${owner.name} has locked this file`;
}

export function isOwnLock({ owner }: FileLock, { accountId }: Viewer): boolean {
  return owner.id === accountId;
}

/** One page of locks. */
export interface LockPage {
  readonly locks: readonly FileLock[];
  /** absent after the last page */
  readonly nextCursor: number | undefined;
}

/** Removes slashes at both ends and parts without a meaning from a path, as git-lfs does. */
export function cleanPath(text: string): string {
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** @throws ForgeError `invalid` */
export function sizeOf(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw invalid('the size must be a whole number of bytes');
}

/**
 * Reads the id of a lock. Returns 0, which no lock has, for a number that cannot be an id.
 *
 * @throws ForgeError `bad_request`
 */
export function lockIdOf(text: string): number {
  if (!/^-?\d+$/.test(text))
    throw new ForgeError({ kind: 'bad_request', what: 'the id of a lock is a number' });
  return parseId(text) ?? 0;
}

/** Reads the number of a page. An invented cursor leads to the first page. */
export function cursorOf(cursor: string | number | undefined): number {
  const page = Number(cursor ?? 0);
  return Number.isSafeInteger(page) ? page : 0;
}
