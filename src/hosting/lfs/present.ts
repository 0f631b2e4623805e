import type { Viewer } from '../../api/access/viewer.ts';
import type { Addresses } from '../../http/app.ts';
import { LFS_TYPE } from '../../http/lfs-json.ts';
import { wireTime } from '../../http/time.ts';
import type { Repository } from '../repositories/model.ts';
import { type BatchAnswer, type FileLock, isOwnLock, type LockPage } from './model.ts';
import type { AnsweredBatch } from './service.ts';

/** Returns the address of all requests of git-lfs for a repository. */
export function lfsRootOf({ owner, name }: Repository, { baseUrl }: Addresses): string {
  return `${baseUrl}/${encodeURIComponent(owner.name)}/${encodeURIComponent(name)}.git/info/lfs`;
}

/** @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md#successful-responses */
export function presentBatch(batch: AnsweredBatch, addresses: Addresses) {
  const root = lfsRootOf(batch.repository, addresses);
  const objects = batch.answers.map((answer) => presentAnswer(answer, root, batch));
  // Without a name, the client uses the basic transfer.
  return batch.isResumable ? { transfer: 'tus', objects } : { objects };
}

function presentAnswer(answer: BatchAnswer, root: string, { token, isResumable, urls }: AnsweredBatch) {
  const { oid, sizeBytes: size } = answer;
  const uploads = isResumable ? 'uploads' : 'objects';
  const credential = token === undefined ? {} : { Authorization: `Bearer ${token.token}` };
  const action = (href: string, header: Readonly<Record<string, string>>) => ({
    href,
    ...(Object.keys(header).length === 0 ? {} : { header }),
    ...(token === undefined ? {} : { expires_at: new Date(token.expiresAt).toISOString() }),
  });
  switch (answer.kind) {
    case 'failed':
      return { oid, size, error: { code: answer.status, message: answer.message } };
    case 'already there':
      return { oid, size };
    case 'download': {
      const href = urls.get(oid);
      // An address of the object store contains its signature, so it needs no header.
      const download = href === undefined ? action(`${root}/objects/${oid}`, credential) : { href };
      return { oid, size, actions: { download } };
    }
    case 'upload':
      return {
        oid,
        size,
        actions: {
          upload: action(`${root}/${uploads}/${oid}/${size}`, credential),
          verify: action(`${root}/verify`, { ...credential, Accept: `${LFS_TYPE};q=0.9, */*;q=0.8` }),
        },
      };
  }
}

export function presentLock({ id, path, owner, lockedAt }: FileLock) {
  return { id: String(id), path, locked_at: wireTime(lockedAt), owner: { name: owner.name } };
}

export function presentLocks(page: LockPage) {
  return { locks: page.locks.map(presentLock), ...cursorOf(page) };
}

/** Presents locks in two lists: the locks of the viewer, and the locks of other users. */
export function presentSides(page: LockPage, viewer: Viewer) {
  const isOwn = (lock: FileLock) => isOwnLock(lock, viewer);
  return {
    ours: page.locks.filter(isOwn).map(presentLock),
    theirs: page.locks.filter((lock) => !isOwn(lock)).map(presentLock),
    ...cursorOf(page),
  };
}

function cursorOf({ nextCursor }: LockPage) {
  return nextCursor === undefined ? {} : { next_cursor: String(nextCursor) };
}
