import { git } from './git.ts';

/**
 * Writes a tree of `width` folders, each with `width` folders, and so on: `depth` objects stand for width^depth files.
 *
 * @param options.name begins the name of each file and folder
 * @returns the id of the tree
 */
export async function treeBomb(
  folder: string,
  { width, depth, name = '' }: { width: number; depth: number; name?: string },
): Promise<string> {
  let [mode, oid] = ['100644 blob', await git(folder, ['hash-object', '-w', '--stdin'], { input: 'x' })];
  for (let level = 0; level < depth; level += 1) {
    const entries = Array.from({ length: width }, (_, index) => `${mode} ${oid}\t${name}${index}\n`);
    [mode, oid] = ['040000 tree', await git(folder, ['mktree'], { input: entries.join('') })];
  }
  return oid;
}
