import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/process.ts';

const PAGE = join(ROOT, 'docs/testing.md');
/** A file of the page: its path in backquotes and a colon, an empty line, and a block of code. */
const FILE = /^`([\w./-]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm;

export function readPage(): Promise<string> {
  return readFile(PAGE, 'utf8');
}

/** Returns the text of each file that docs/testing.md shows, by its path. */
export async function filesOfPage(): Promise<ReadonlyMap<string, string>> {
  const page = await readPage();
  return new Map([...page.matchAll(FILE)].map(([, path = '', text = '']) => [path, text]));
}
