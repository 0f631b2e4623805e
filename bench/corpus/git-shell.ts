import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { cpuMsOfTree } from '../servers/process-usage.ts';
import { GIT_ENVIRONMENT } from './git.ts';

/**
 * A shell that starts the timed processes. Starting a process takes longer the more memory its parent has, and this
 * program grows while it runs. A shell stays small, so the times are those of git.
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

  /** Runs git without input and discards its output. */
  git(args: readonly string[]): Promise<void> {
    return this.run(`git ${args.map(quoted).join(' ')} </dev/null >/dev/null`);
  }

  /**
   * Runs a command that prints nothing.
   *
   * @throws Error unless the exit status is 0
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

  /** CPU time of the shell and of all its children, ms */
  cpuMs(): number {
    return this.#child.pid === undefined ? Number.NaN : cpuMsOfTree(this.#child.pid);
  }

  stop(): void {
    this.#child.stdin?.end();
  }
}

/** Quotes a word for the shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
