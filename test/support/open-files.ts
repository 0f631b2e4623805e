import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether the system lists the open files of a process. */
export const LISTS_OPEN_FILES = process.platform === 'linux';

/** Lists the files below a folder that a process has open, by default this one. @see proc_pid_fd(5) */
export async function openFilesBelow(
  folder: string,
  pid: number | 'self' = 'self',
): Promise<readonly string[]> {
  const descriptors = join('/proc', `${pid}`, 'fd');
  const links = (await readdir(descriptors)).map((name) => readlink(join(descriptors, name)));
  // A file may be closed meanwhile.
  const paths = await Promise.all(links.map((path) => path.catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}
