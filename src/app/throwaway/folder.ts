import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realTimeMs } from '../../base/core/time/clock.ts';
import { tryLockDataFolder } from '../data-folder.ts';
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
  const path = mkdtempSync(join(parent, PREFIX));
  chmodSync(path, 0o700);
  const unlock = tryLockDataFolder(path);
  let isRemoved = false;
  return {
    path,
    remove() {
      if (isRemoved) return;
      isRemoved = true;
      unlock?.();
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
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
      if (!isOldAndOwn(path)) continue;
      const unlock = tryLockDataFolder(path);
      if (unlock === undefined) continue;
      unlock();
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another server that starts now removes it.
    }
  }
}

function isOldAndOwn(path: string): boolean {
  const { uid, birthtimeMs, ctimeMs } = lstatSync(path);
  const madeAt = birthtimeMs > 0 ? birthtimeMs : ctimeMs;
  return uid === process.getuid?.() && realTimeMs() - madeAt > THROWAWAY_LIMITS.leftoverMsMin;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
