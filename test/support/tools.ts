import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether a program is there. */
export async function isInstalled(program: string): Promise<boolean> {
  return run('sh', ['-c', 'command -v "$1"', 'sh', program]).then(
    () => true,
    () => false,
  );
}

/** Returns the path of Python. What `python3` names may be a script that looks for it, which takes longer than its start. */
export async function findPython(): Promise<string> {
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.executable)']);
  return stdout.trim();
}
