import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from '../../support/after-test.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { watchProcesses } from '../../support/git/started-processes.ts';
import { objectsFolderOf } from '../../support/git-folder.ts';

/** Returns the folder of a repository on the disk of the server. */
export async function folderOf(forge: TestForge, repositoryId: number): Promise<string> {
  const storage = forge.forge.running.engines.git;
  const { gitDir } = await objectsFolderOf(storage, await storage.refs.open(repositoryId));
  return gitDir;
}

/** Lists the files of a repository's packs with this extension. */
export async function packFiles(gitDir: string, extension: string): Promise<readonly string[]> {
  const packs = join(gitDir, 'objects', 'pack');
  const names = await readdir(packs);
  return names.filter((name) => name.endsWith(extension)).map((name) => join(packs, name));
}

/** Returns the path that an object has as a file of its own. */
export function looseFile(gitDir: string, oid: string): string {
  return join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
}

/** Whether git stores the object as the difference to another one. */
export async function isDelta(gitDir: string, oid: string): Promise<boolean> {
  const base = await git(gitDir, ['cat-file', '--batch-check=%(deltabase)'], { input: `${oid}\n` });
  return !/^0+$/.test(base);
}

/** Returns a function that counts the git processes so far that read one large file. */
export function watchReadings(t: Cleanup): () => number {
  const started = watchProcesses(t);
  return () => started().filter((command) => command.includes(' cat-file blob ')).length;
}
