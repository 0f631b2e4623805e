import { join } from 'node:path';
import type { Cleanup } from '../support/after-test.ts';
import { ROOT, run } from '../support/process.ts';

export const MAIN = join(ROOT, 'src/app/main.mjs');

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
  const command = run(t, process.execPath, [MAIN, ...words], input === undefined ? {} : { input });
  const { code } = await command.ended();
  return { code, output: command.output() };
}
