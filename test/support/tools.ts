import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether a program is there. */
export async function isInstalled(program: string): Promise<boolean> {
  const run = promisify(execFile);
  return run('sh', ['-c', 'command -v "$1"', 'sh', program]).then(
    () => true,
    () => false,
  );
}
