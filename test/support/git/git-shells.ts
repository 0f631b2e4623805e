import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { quoted } from '../../../bench/corpus/git-shell.ts';

export interface ShellRun {
  readonly folder: string;
  readonly args: readonly string[];
  readonly input?: string | Uint8Array | undefined;
  /** in addition to the environment of all commands */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface ShellResult {
  /** null: ended by a signal */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** What a shell reports for a program that SIGKILL, SIGPIPE or SIGTERM ended. git itself never exits with these. */
const ENDED_BY_SIGNAL = new Set(['137', '141', '143']);

/**
 * Runs git from small shells. Starting a process copies the page tables of its parent, and a test process, which also
 * runs the server, is large: a start takes 10 ms of its time, and 1 ms of a shell's.
 */
export class GitShells {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #idle: Shell[] = [];

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  async run(command: ShellRun): Promise<ShellResult> {
    const shell = this.#idle.pop() ?? new Shell(this.#environment);
    const result = await shell.run(command);
    this.#idle.push(shell);
    return result;
  }
}

/** One shell, which runs one command at a time. It ends with this process. */
class Shell {
  readonly #child: ChildProcess;
  readonly #answers: Interface;
  readonly #files: { readonly in: string; readonly out: string; readonly err: string };

  constructor(environment: NodeJS.ProcessEnv) {
    const folder = mkdtempSync(join(tmpdir(), 'quire-shell-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    this.#files = { in: join(folder, 'in'), out: join(folder, 'out'), err: join(folder, 'err') };
    this.#child = spawn('sh', [], { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.unref();
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the shell has no output');
    this.#answers = createInterface({ input: stdout });
    this.#keepAlive(false);
  }

  async run({ folder, args, input, environment = {} }: ShellRun): Promise<ShellResult> {
    const files = this.#files;
    if (input !== undefined) await writeFile(files.in, input);
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)} `);
    const git = `cd ${quoted(folder)} && ${settings.join('')}git ${args.map(quoted).join(' ')}`;
    const from = input === undefined ? '/dev/null' : quoted(files.in);
    const status = await this.#ask(`(${git}) <${from} >${quoted(files.out)} 2>${quoted(files.err)}; echo $?`);
    const [stdout, stderr] = await Promise.all([readFile(files.out), readFile(files.err, 'utf8')]);
    return { exitCode: ENDED_BY_SIGNAL.has(status) ? null : Number(status), stdout, stderr };
  }

  #ask(line: string): Promise<string> {
    this.#keepAlive(true);
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new Error('the shell ended'));
      this.#answers.once('close', onClose);
      this.#answers.once('line', (answer) => {
        this.#answers.off('close', onClose);
        this.#keepAlive(false);
        resolve(answer);
      });
      this.#child.stdin?.write(`${line}\n`);
    });
  }

  /** An idle shell must not keep a test process from ending. */
  #keepAlive(isBusy: boolean): void {
    for (const stream of [this.#child.stdin, this.#child.stdout]) {
      const socket = stream as unknown as { ref(): void; unref(): void };
      if (isBusy) socket.ref();
      else socket.unref();
    }
  }
}
