import type { Viewer } from '../../../../api/access/viewer.ts';
import { cursorOf, type FileLock, isOwnLock, lockIdOf, whyLocked } from '../../../../hosting/lfs/model.ts';
import { presentLock } from '../../../../hosting/lfs/present.ts';
import { badRequest, type TransferRequest } from './requests.ts';
import type { TransferSession } from './session.ts';

/** Locks a file. */
export async function lockFile(session: TransferSession, { options }: TransferRequest): Promise<void> {
  session.requireOperation('upload');
  const { answers, fileLocks, path } = session;
  const lockedPath = options.get('path');
  if (lockedPath === undefined) throw badRequest('the argument path is missing');
  const { isNew, lock } = await fileLocks.create(await session.viewer(), path, lockedPath);
  if (isNew) await answers.send(201, optionsOf(lock));
  else await answers.fail(409, whyLocked(lock), optionsOf(lock));
}

/** Removes a lock. */
export async function unlockFile(
  session: TransferSession,
  { words: [id = ''], options }: TransferRequest,
): Promise<void> {
  session.requireOperation('upload');
  const { answers, fileLocks, path } = session;
  const force = options.get('force') === 'true';
  const lock = await fileLocks.remove(await session.viewer(), path, lockIdOf(id), { force });
  await answers.send(200, optionsOf(lock));
}

/** Sends a page of locks. */
export async function listLocks(session: TransferSession, { options }: TransferRequest): Promise<void> {
  const { answers, fileLocks, path } = session;
  const viewer = await session.viewer();
  const id = options.get('id');
  const filter = { id: id === undefined ? undefined : lockIdOf(id), path: options.get('path') };
  const page = { cursor: cursorOf(options.get('cursor')), limit: limitOf(options.get('limit')) };
  const { locks, nextCursor } = await fileLocks.list(viewer, path, filter, page);
  const next = nextCursor === undefined ? {} : { 'next-cursor': nextCursor };
  await answers.send(
    200,
    next,
    locks.flatMap((lock) => linesOf(lock, viewer)),
  );
}

function limitOf(text: string | undefined): number | undefined {
  const limit = Number(text);
  return Number.isSafeInteger(limit) ? limit : undefined;
}

function optionsOf(lock: FileLock) {
  const { id, path, locked_at, owner } = presentLock(lock);
  return { id, path, 'locked-at': locked_at, ownername: owner.name };
}

function linesOf(lock: FileLock, viewer: Viewer): readonly string[] {
  const { id, ...options } = optionsOf(lock);
  const lines = Object.entries(options).map(([name, value]) => `${name} ${id} ${value}`);
  return [`lock ${id}`, ...lines, `owner ${id} ${isOwnLock(lock, viewer) ? 'ours' : 'theirs'}`];
}
