import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectFormat, RepositoryId } from '../model.ts';
import { syncFolder, writeDurably } from './durability.ts';
import { failedWith, undefinedIfMissing } from './file-errors.ts';

/** Only the account the server runs as, and its group for reading, get at repositories. */
export const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;

/** Where the parts of one bare repository are. Paths come from ids alone, never from names. */
export class RepositoryFolder {
  readonly path: string;

  constructor(root: string, id: RepositoryId) {
    const shard = (id % 256).toString(16).padStart(2, '0');
    this.path = join(root, shard, `${id}.git`);
  }

  get objects(): string {
    return join(this.path, 'objects');
  }

  get packs(): string {
    return join(this.path, 'objects', 'pack');
  }

  /** One folder in it for each write session. */
  get quarantines(): string {
    return join(this.path, 'quarantine');
  }

  /** One folder in it for each running maintenance job. Existing repositories call it `upkeep`, so the name stays. */
  get workshops(): string {
    return join(this.path, 'upkeep');
  }
}

/** Where the folders of forks are until they are moved into place: on the same file system, by names of their own. */
export function stagedRoot(root: string): string {
  return join(root, 'staged');
}

export function randomName(): string {
  return randomBytes(12).toString('hex');
}

export function configFile(format: ObjectFormat): string {
  const version = format === 'sha256' ? 1 : 0;
  const lines = ['[core]', `\trepositoryformatversion = ${version}`, '\tfilemode = true', '\tbare = true'];
  // The server writes refs itself: a git started by hand must not repack or prune behind its back.
  lines.push('[gc]', '\tauto = 0', '[receive]', '\tautogc = false');
  if (format === 'sha256') lines.push('[extensions]', '\tobjectformat = sha256');
  return `${lines.join('\n')}\n`;
}

/**
 * Moves the folder of a fork from where it was staged into its place. Does nothing where that was done before.
 *
 * @throws Error where it is in neither: the fork's objects are gone, and an empty folder must not hide it
 */
export async function moveStagedIntoPlace(staged: string, folder: RepositoryFolder): Promise<void> {
  const parent = dirname(folder.path);
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
  const moved = await undefinedIfMissing(rename(staged, folder.path).then(() => true));
  if (moved === undefined && !(await exists(folder.path))) {
    throw new Error(`the folder of a fork is neither at ${staged} nor at ${folder.path}`);
  }
  for (const path of [parent, dirname(parent)]) await syncFolder(path);
}

/** Makes the folder of a repository, whole or not at all, without a git process. Does nothing where it is. */
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
  // Also where it is there already: who made it may have ended before its name was there for good.
  for (const path of [parent, dirname(parent)]) await syncFolder(path);
}

/** Makes `draft` a bare repository without objects; only its own name is not synced. */
export async function fillRepositoryFolder(draft: string, format: ObjectFormat): Promise<void> {
  const folders = ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'quarantine', 'upkeep'];
  for (const name of folders) await mkdir(join(draft, name), { recursive: true, mode: FOLDER_MODE });
  // git takes a folder for a repository only with a HEAD; the mirror writes the real one.
  await writeDurably(join(draft, 'HEAD'), 'ref: refs/heads/main\n', { mode: FILE_MODE });
  await writeDurably(join(draft, 'config'), configFile(format), { mode: FILE_MODE });
  for (const name of ['objects', 'refs', '.']) await syncFolder(join(draft, name));
}

async function moveIntoPlace(draft: string, path: string): Promise<void> {
  try {
    await rename(draft, path);
  } catch (error) {
    // Somebody else made it meanwhile.
    if (!failedWith(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return false;
    throw error;
  }
}
