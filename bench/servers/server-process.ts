import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { CAN_READ_USAGE, cpuMsOfTree, forgetPeakOf, memoryMbOf } from './process-usage.ts';

/** Rest before the memory of a server is read: by then, idle threads and git processes have ended. */
export const SERVER_REST_MS = 35_000;
const READY_TIMEOUT_MS = 60_000;

export interface ServerCommand {
  /** arguments of Node: a file and its arguments, and flags for profiling */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** file for its standard error */
  readonly logFile: string;
  /** whether it runs in another session than its clients; then Ctrl+C in a terminal does not reach it */
  readonly hasOwnSession?: boolean;
}

/** A server in a separate process, which prints `ready URL` when it accepts requests. */
export class ServerProcess {
  readonly url: string;
  /** null without an SSH server */
  readonly sshPort: number | null;
  /** from the start of Node to the line `ready URL` */
  readonly readyMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { url, sshPort }: Addresses, readyMs: number) {
    this.#child = child;
    this.url = url;
    this.sshPort = sshPort;
    this.readyMs = readyMs;
  }

  /** @throws Error if the server does not start */
  static async start(command: ServerCommand): Promise<ServerProcess> {
    const log = openSync(command.logFile, 'a');
    const startedAt = performance.now();
    const child = spawn(process.execPath, command.args, {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...command.environment },
      stdio: ['ignore', 'pipe', log],
      detached: command.hasOwnSession ?? false,
    });
    closeSync(log);
    const addresses = await readyLine(child);
    return new ServerProcess(child, addresses, performance.now() - startedAt);
  }

  /** CPU time so far of the server and its children, ms; null if the system does not report it. */
  get cpuMs(): (() => number) | null {
    return CAN_READ_USAGE ? () => cpuMsOfTree(this.#pid) : null;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  memoryMb(): { now: number; peak: number } | null {
    return CAN_READ_USAGE ? memoryMbOf(this.#pid) : null;
  }

  /** Makes the peak of `memoryMb` begin anew. */
  forgetPeak(): void {
    if (CAN_READ_USAGE) forgetPeakOf(this.#pid);
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  get #pid(): number {
    if (this.#child.pid === undefined) throw new Error('the server has no process');
    return this.#child.pid;
  }
}

interface Addresses {
  readonly url: string;
  readonly sshPort: number | null;
}

function readyLine(child: ChildProcess): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      const url = /^ready (\S+)$/m.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      const sshPort = /^SSH at \S+:(\d+)$/m.exec(text)?.[1];
      resolve({ url, sshPort: sshPort === undefined ? null : Number(sshPort) });
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code} before it was ready: ${text}`));
    });
  });
}
