import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';

/** Returns a folder in memory with this much room, in which programs can run; undefined if there is none. */
export function memoryFolder({ bytesNeeded }: { bytesNeeded: number }): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize >= bytesNeeded && runsPrograms() ? FOLDER : undefined;
  } catch {
    return undefined;
  }
}

/** @see proc(5), /proc/mounts: device, folder, type, options */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).find((fields) => fields[1] === FOLDER)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}
