import type { Cleanup } from '../support/after-test.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs one command in a process of its own.
 *
 * @param input what it reads from its standard input
 */
export async function quire(t: Cleanup, words: readonly string[], input?: string): Promise<Ended> {
  const command = run(t, process.execPath, [PROGRAM, ...words], input === undefined ? {} : { input });
  const { code } = await command.ended();
  return { code, output: command.output() };
}
