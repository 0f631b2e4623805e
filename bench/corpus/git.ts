import { spawn } from 'node:child_process';

/** Environment for a git that reads no configuration of the user and never prompts. */
export const GIT_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.org',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.org',
};

/** Input, in one piece or several. */
export type GitInput = string | Uint8Array | Iterable<string>;

/**
 * Runs git and returns its output.
 *
 * @throws Error unless the exit status is 0
 */
export function runGit(
  args: readonly string[],
  input: GitInput = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'gc.auto=0', ...args], { env: { ...GIT_ENVIRONMENT, ...environment } });
    const out: Buffer[] = [];
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out));
      else reject(new Error(`git ${args[0]} ${args[1]} ended with ${code}: ${said}`));
    });
    // A git that fails early does not read its input.
    child.stdin.on('error', () => {});
    if (typeof input === 'string' || input instanceof Uint8Array) child.stdin.end(input);
    else {
      for (const piece of input) child.stdin.write(piece);
      child.stdin.end();
    }
  });
}

/** Runs git like `runGit`, for a command that prints one line. */
export async function askGit(args: readonly string[], input: GitInput = ''): Promise<string> {
  return (await runGit(args, input)).toString().trim();
}
