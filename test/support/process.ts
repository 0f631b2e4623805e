import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterTest, type Cleanup } from './after-test.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** How long a line may take, such as the first one after a start. */
const LINE_MS_MAX = 60_000;

export interface Running {
  readonly child: ChildProcess;
  /** everything printed so far */
  output(): string;
  /** Waits for a line of standard output that matches, and returns the match. */
  line(pattern: RegExp, options?: { timeoutMs: number }): Promise<RegExpExecArray>;
  /** Waits for the end of the process and returns its exit code and signal. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a program, and kills it at the end of the test if it still runs. */
export function run(
  t: Cleanup,
  command: string,
  args: readonly string[],
  options: { cwd?: string; environment?: Record<string, string>; input?: string } = {},
): Running {
  const child = spawn(command, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...passedOn(), ...options.environment },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(options.input);
  const finished = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  afterTest(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await finished;
  });
  return {
    child,
    output: () => text,
    line: (pattern, { timeoutMs } = { timeoutMs: LINE_MS_MAX }) =>
      waitForLine(child, { pattern, timeoutMs }, () => text),
    async ended() {
      const [code, signal] = await finished;
      return { code, signal };
    },
  };
}

function passedOn(): Record<string, string> {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE, QUIRE_TEST_FOLDER } = process.env;
  return {
    PATH,
    HOME,
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...(QUIRE_TEST_FOLDER === undefined ? {} : { QUIRE_TEST_FOLDER }),
  };
}

function waitForLine(
  child: ChildProcess,
  { pattern, timeoutMs }: { pattern: RegExp; timeoutMs: number },
  text: () => string,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('timed out'), timeoutMs);
    const fail = (why: string) => {
      stop();
      reject(new Error(`${pattern}: ${why}. Output:\n${text()}`));
    };
    const look = () => {
      const match = pattern.exec(text());
      if (match === null) return;
      stop();
      resolve(match);
    };
    const ended = () => fail('the process ended');
    const stop = () => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      child.stderr?.off('data', look);
      child.off('close', ended);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.on('close', ended);
    look();
  });
}
