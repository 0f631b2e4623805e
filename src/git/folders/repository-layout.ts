import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FILE_MODE, FOLDER_MODE, syncFolder, writeDurably } from '../../base/core/files/durable-files.ts';
import type { ObjectFormat } from '../format/model.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';

/** Paths of one bare repository. */
export class RepositoryFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The final path derives from the id, never from names. */
  static of(root: string, id: RepositoryId): RepositoryFolder {
    const shard = (id % 256).toString(16).padStart(2, '0');
    return new RepositoryFolder(join(root, shard, `${id}.git`));
  }

  get objects(): string {
    return join(this.path, 'objects');
  }

  get packs(): string {
    return join(this.path, 'objects', 'pack');
  }

  /** Has one folder for each write session. */
  get quarantines(): string {
    return join(this.path, 'quarantine');
  }

  /** Has the change index. */
  get changes(): string {
    return join(this.path, 'changes');
  }

  /** Has one folder for each running maintenance job. Existing repositories call it `upkeep`, so the name stays. */
  get workshops(): string {
    return join(this.path, 'upkeep');
  }
}

declare const READABLE: unique symbol;

/**
 * Path of a git folder in which git finds every object that its command may need. Git processes accept no other path,
 * so the compiler rejects a command in a folder whose fresh objects may still be rows. `Engine.completeFolder` makes such
 * paths, and so does a workshop, which reads the objects of a complete folder. A copy that is to be adopted has all its
 * objects as files.
 */
export type GitDir = string & { readonly [READABLE]: true };

/** The folder of a repository which exists, and whose files include all objects that were committed so far. */
export interface CompleteFolder extends RepositoryFolder {
  readonly path: GitDir;
}

/** For commands that read no repository. */
export const NO_REPOSITORY = '/' as GitDir;

/** Folder of staged forks, on the same file system as their final paths. */
export function stagedRoot(root: string): string {
  return join(root, 'staged');
}

/** Folder of repositories that are not adopted yet, beside the folder of all others. */
export function unadoptedRoot(root: string): string {
  return join(dirname(root), 'unadopted');
}

export function randomName(): string {
  return randomBytes(12).toString('hex');
}

export function configFile(format: ObjectFormat): string {
  const version = format === 'sha256' ? 1 : 0;
  const lines = ['[core]', `\trepositoryformatversion = ${version}`, '\tfilemode = true', '\tbare = true'];
  // Refs are rows, so a git that is started by hand must not repack or prune on its own.
  lines.push('[gc]', '\tauto = 0', '[receive]', '\tautogc = false');
  if (format === 'sha256') lines.push('[extensions]', '\tobjectformat = sha256');
  return `${lines.join('\n')}\n`;
}

/**
 * Moves the staged folder of a fork to its final path. Does nothing if it was moved before.
 *
 * @throws Error if neither path exists: the fork's objects are lost, and an empty folder must not hide that
 */
export async function moveStagedIntoPlace(staged: string, folder: RepositoryFolder): Promise<void> {
  const parent = dirname(folder.path);
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
  const moved = await undefinedIfMissing(rename(staged, folder.path).then(() => true));
  if (moved === undefined && !(await exists(folder.path))) {
    throw new Error(`the folder of a fork is missing at ${staged} and at ${folder.path}`);
  }
  for (const path of [parent, dirname(parent)]) await syncFolder(path);
}

/** Creates a complete repository folder without a git process. Does nothing if it exists. */
export async function ensureRepositoryFolder(folder: RepositoryFolder, format: ObjectFormat): Promise<void> {
  const parent = dirname(folder.path);
  if (!(await exists(folder.path))) {
    await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
    const draft = `${folder.path}.new-${randomName()}`;
    try {
      await fillRepositoryFolder(draft, format);
      await moveIntoPlace(draft, folder.path);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  // Also for an existing folder: the process that created it may have ended before it synced the name.
  for (const path of [parent, dirname(parent)]) await syncFolder(path);
}

/** Fills `draft` as an empty bare repository and syncs all but the name of `draft` itself. */
export async function fillRepositoryFolder(draft: string, format: ObjectFormat): Promise<void> {
  const folders = ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'quarantine', 'upkeep'];
  for (const name of folders) await mkdir(join(draft, name), { recursive: true, mode: FOLDER_MODE });
  // git recognizes a repository only if it has a HEAD. The mirror writes the real one.
  await writeDurably(join(draft, 'HEAD'), 'ref: refs/heads/main\n', { mode: FILE_MODE });
  await writeDurably(join(draft, 'config'), configFile(format), { mode: FILE_MODE });
  for (const name of ['objects', 'refs', '.']) await syncFolder(join(draft, name));
}

async function moveIntoPlace(draft: string, path: string): Promise<void> {
  try {
    await rename(draft, path);
  } catch (error) {
    // Another call created it concurrently.
    if (!failedWith(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return false;
    throw error;
  }
}
