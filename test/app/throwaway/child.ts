import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterTest, type Cleanup } from '../../support/after-test.ts';
import { ROOT } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';

/** The line that a throwaway server prints. */
export interface Printed {
  readonly url: string;
  readonly admin: { readonly name: string; readonly password: string };
  readonly token: string;
  readonly users: Readonly<
    Record<string, { readonly password: string; readonly tokens: Readonly<Record<string, string>> }>
  >;
  readonly version: string;
  readonly pid: number;
}

export interface StartedForge extends Printed {
  readonly child: ChildProcess;
  /** everything on standard output after the line */
  rest(): string;
  log(): string;
  /** Waits for its end. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Runs `quire forge` in a process of its own.
 *
 * @param options.folder the folder for temporary files
 * @param options.input what its standard input is
 */
export async function startChild(
  t: Cleanup,
  words: readonly string[],
  options: {
    folder?: string;
    input?: 'pipe' | 'ignore';
    environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<StartedForge> {
  const { PATH = '', HOME = '/' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, 'forge', ...words], {
    cwd: ROOT,
    env: {
      PATH,
      HOME,
      ...(options.folder === undefined ? {} : { TMPDIR: options.folder }),
      ...options.environment,
    },
    stdio: [options.input ?? 'pipe', 'pipe', 'pipe'],
  });
  const finished = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  afterTest(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await finished;
  });
  let log = '';
  child.stderr?.on('data', (part: Buffer) => {
    log += part;
  });
  if (child.stdout === null) throw new Error('the child has no output');
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const first = Promise.race([
    once(reader, 'line').then(([line]) => line as string),
    finished.then(() => Promise.reject(new Error(`the forge ended: ${log}`))),
  ]);
  const printed: Printed = JSON.parse(await first);
  reader.on('line', (line) => lines.push(line));
  return {
    ...printed,
    child,
    rest: () => lines.join('\n'),
    log: () => log,
    async ended() {
      const [code, signal] = await finished;
      return { code, signal };
    },
  };
}
