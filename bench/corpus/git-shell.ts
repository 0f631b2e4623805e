import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { cpuMsOfTree } from '../servers/process-usage.ts';
import { GIT_ENVIRONMENT } from './git.ts';

/**
 * A shell that starts what is timed. To start a process costs the more the more memory the one has that starts it, and
 * this program grows while it runs: a shell stays as small as it is, so what is timed is git.
 */
export class GitShell {
  readonly #child: ChildProcess;
  readonly #answers: Interface;

  constructor() {
    this.#child = spawn('sh', [], { env: GIT_ENVIRONMENT, stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the shell has no output');
    this.#answers = createInterface({ input: stdout });
  }

  /** Runs git with nothing to read, and throws away what it prints. */
  git(args: readonly string[]): Promise<void> {
    return this.run(`git ${args.map(quoted).join(' ')} </dev/null >/dev/null`);
  }

  /**
   * Runs a command, which prints nothing.
   *
   * @throws Error unless it ends with 0
   */
  async run(command: string): Promise<void> {
    const answered = new Promise<string>((resolve, reject) => {
      this.#answers.once('line', resolve);
      this.#answers.once('close', () => reject(new Error('the shell ended')));
    });
    this.#child.stdin?.write(`${command}\necho "$?"\n`);
    const status = await answered;
    this.#answers.removeAllListeners('close');
    if (status !== '0') throw new Error(`ended with ${status}: ${command}`);
  }

  /** of the shell and of everything it ran, ms */
  cpuMs(): number {
    return this.#child.pid === undefined ? Number.NaN : cpuMsOfTree(this.#child.pid);
  }

  stop(): void {
    this.#child.stdin?.end();
  }
}

/** A word as the shell takes it, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
