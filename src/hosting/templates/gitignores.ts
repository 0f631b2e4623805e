import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Catalog } from './catalog.ts';
import type { GitignoreTemplate } from './model.ts';

const FOLDER = new URL('gitignore/', import.meta.url);
const SUFFIX = '.gitignore';

/** Names of the files `gitignore/NAME.gitignore`. */
export const GITIGNORES = new Catalog(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length)),
);

/**
 * Reads a template.
 *
 * @param name one of `GITIGNORES`
 */
export async function readGitignore(name: string): Promise<GitignoreTemplate> {
  const file = new URL(`${encodeURIComponent(name)}${SUFFIX}`, FOLDER);
  return { name, text: await readFile(file, 'utf8') };
}
