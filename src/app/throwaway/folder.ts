import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realTimeMs } from '../../base/core/time/clock.ts';
import { LOCK, tryLockDataFolder } from '../data-folder.ts';
import { THROWAWAY_LIMITS } from './limits.ts';

/** A file system in memory on Linux. */
const MEMORY = '/dev/shm';
const PREFIX = 'quire-throwaway-';

export interface ThrowawayFolder {
  readonly path: string;
  /** Removes it with all that is in it. Does nothing the second time. */
  remove(): void;
}

/**
 * Makes a locked folder, in memory if possible, and removes those of servers that were killed.
 *
 * @param options.onDisk never in memory
 */
export function makeThrowawayFolder(options: { onDisk: boolean }): ThrowawayFolder {
  const parent = !options.onDisk && hasMemory() ? MEMORY : tmpdir();
  for (const place of new Set([MEMORY, tmpdir()])) removeLeftovers(place);
  const { path, unlock } = makeLocked(parent);
  let isRemoved = false;
  return {
    path,
    remove() {
      if (isRemoved) return;
      isRemoved = true;
      unlock();
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Tries again if a starting server found the folder between its making and its lock, and removes it. */
function makeLocked(parent: string): { path: string; unlock: () => void } {
  for (;;) {
    const path = mkdtempSync(join(parent, PREFIX));
    chmodSync(path, 0o700);
    const unlock = tryLockDataFolder(path);
    if (unlock !== undefined) return { path, unlock };
  }
}

/** Whether the file system in memory has room, and lets programs run, as the hooks of git do. */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= THROWAWAY_LIMITS.memoryBytesMin && runsPrograms();
  } catch {
    return false;
  }
}

/** @see proc(5), /proc/mounts: device, folder, type, options */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).find((fields) => fields[1] === MEMORY)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}

/** The lock of a folder ends with its process, so an unlocked folder has no server. */
function removeLeftovers(place: string): void {
  for (const name of namesIn(place).filter((each) => each.startsWith(PREFIX))) {
    const path = join(place, name);
    try {
      if (!mayBeLeft(path)) continue;
      const unlock = tryLockDataFolder(path);
      if (unlock === undefined) continue;
      unlock();
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another server that starts now removes it.
    }
  }
}

/** A young folder without a lock is about to get one. */
function mayBeLeft(path: string): boolean {
  const { uid, ctimeMs } = lstatSync(path);
  if (uid !== process.getuid?.()) return false;
  return existsSync(join(path, LOCK)) || realTimeMs() - ctimeMs > THROWAWAY_LIMITS.unlockedFolderMs;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
