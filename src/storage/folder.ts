import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { invalid, notFound } from '../base/core/failure.ts';
import { faultPoint } from '../base/core/faults.ts';
import { FILE_MODE, FOLDER_MODE, syncFolder, writeDurably } from '../base/core/files/durable-files.ts';
import { createCountedCache } from '../base/core/sized-cache.ts';
import { realTimeMs } from '../base/core/time/clock.ts';
import { checkedBody } from './body-check.ts';
import { requireKey } from './keys.ts';
import { STORAGE_LIMITS } from './limits.ts';
import type {
  ObjectRange,
  ObjectReading,
  ObjectStorage,
  PutOptions,
  PutOutcome,
  SignedRequest,
  StoredObject,
} from './model.ts';
import type { SignedAddresses } from './signed-addresses.ts';

/** Folder of incomplete objects. No key begins with a dot, so it cannot collide with an object. */
const INCOMING = '.incoming';

/**
 * Stores objects as files in a folder, named by their keys.
 *
 * @param options.folder created if missing
 * @param options.addresses at which the server hands out objects
 */
export async function createFolderStorage(options: {
  folder: string;
  addresses: SignedAddresses;
}): Promise<ObjectStorage> {
  const folder = resolve(options.folder);
  await mkdir(join(folder, INCOMING), { recursive: true, mode: FOLDER_MODE });
  return new FolderStorage(folder, options.addresses);
}

class FolderStorage implements ObjectStorage {
  readonly #folder: string;
  readonly #addresses: SignedAddresses;
  /** folders whose names this process has made durable */
  readonly #durableFolders = createCountedCache<string, true>({
    entriesMax: STORAGE_LIMITS.durableFoldersRemembered,
  });
  #foldersMade = 0;

  constructor(folder: string, addresses: SignedAddresses) {
    this.#folder = folder;
    this.#addresses = addresses;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutOutcome> {
    const path = this.#pathOf(key);
    const incoming = join(this.#folder, INCOMING, randomUUID());
    try {
      await writeDurably(incoming, checkedBody(body, options), { mode: FILE_MODE });
      faultPoint('before-object');
      const outcome = await this.#place(incoming, path, options.ifAbsent === true ? linkNew : replace);
      // Also for an existing object: its writer may not have reached this step. The object may be deleted already.
      await this.#syncFolders(dirname(path)).catch(undefinedIfMissing);
      return outcome;
    } finally {
      await rm(incoming, { force: true });
    }
  }

  async get(key: string, range?: ObjectRange): Promise<ObjectReading> {
    const file = await open(this.#pathOf(key), 'r').catch(undefinedIfMissing);
    if (file === undefined) throw notFound('object');
    try {
      const found = await file.stat();
      if (!found.isFile()) throw notFound('object');
      const start = range?.start ?? 0;
      if (range !== undefined && start >= found.size)
        throw invalid('the range begins after the end of the object');
      const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, found.size - 1);
      const body = file.createReadStream({ start, ...(found.size === 0 ? {} : { end }) });
      return { key, sizeBytes: found.size, modifiedAt: Math.floor(found.mtimeMs), body };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const found = await stat(this.#pathOf(key)).catch(undefinedIfMissing);
    if (found === undefined || !found.isFile()) return undefined;
    return { key, sizeBytes: found.size, modifiedAt: Math.floor(found.mtimeMs) };
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await rm(path, { force: true });
    for (let folder = dirname(path); folder !== this.#folder; folder = dirname(folder)) {
      const isRemoved = await rmdir(folder).then(
        () => true,
        () => false,
      );
      // There are other objects.
      if (!isRemoved) return;
    }
  }

  async *list(prefix: string, options: { after?: string } = {}): AsyncGenerator<StoredObject, void> {
    const { after = '' } = options;
    for await (const key of this.#keysIn('', prefix, after)) {
      const found = await this.head(key);
      // Deleted since the folder was read.
      if (found !== undefined) yield found;
    }
  }

  /** @param within '' or a folder with a trailing `/` */
  async *#keysIn(within: string, prefix: string, after: string): AsyncGenerator<string, void> {
    const entries =
      (await readdir(join(this.#folder, within), { withFileTypes: true }).catch(undefinedIfMissing)) ?? [];
    const names = entries
      .filter((entry) => !entry.name.startsWith('.'))
      .map((entry) => `${within}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      // The trailing `/` of folders takes part in the order, so that keys come in byte order.
      .sort(byBytes);
    for (const name of names) {
      if (!name.endsWith('/')) {
        if (name.startsWith(prefix) && name > after) yield name;
      } else if ((name.startsWith(prefix) || prefix.startsWith(name)) && !isBefore(name, after)) {
        yield* this.#keysIn(name, prefix, after);
      }
    }
  }

  async signedUrl(key: string, request: SignedRequest): Promise<string> {
    requireKey(key);
    return this.#addresses.sign(key, request);
  }

  async removeAbandoned(olderThanMs: number): Promise<void> {
    const incoming = join(this.#folder, INCOMING);
    for (const name of await readdir(incoming)) {
      const path = join(incoming, name);
      const found = await stat(path).catch(undefinedIfMissing);
      if (found !== undefined && realTimeMs() - found.mtimeMs > olderThanMs) await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {}

  /**
   * Moves a complete object to its place. A deletion may remove the folder, which is empty until then, so nothing else happens
   * between the two steps.
   */
  async #place(
    incoming: string,
    path: string,
    move: (incoming: string, path: string) => Promise<PutOutcome>,
  ): Promise<PutOutcome> {
    const folder = dirname(path);
    for (let races = 0; ; races += 1) {
      try {
        const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
        if (made !== undefined) {
          // A folder of this name was durable before its removal.
          this.#durableFolders.delete(folder);
          this.#foldersMade += 1;
        }
        return await move(incoming, path);
      } catch (error) {
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (!isGone || races === STORAGE_LIMITS.folderRacesMax) throw error;
      }
    }
  }

  /** Makes the names in a folder durable, and the names of the folders that lead to it. */
  async #syncFolders(path: string): Promise<void> {
    await syncFolder(path);
    // The parents also of an existing folder: whatever made it may not have synced them yet.
    if (path === this.#folder || this.#durableFolders.get(path)) return;
    const foldersMade = this.#foldersMade;
    for (let folder = path; folder !== this.#folder; folder = dirname(folder))
      await syncFolder(dirname(folder));
    // Otherwise it may be another folder than the one that was synced.
    if (foldersMade === this.#foldersMade) this.#durableFolders.set(path, true);
  }

  #pathOf(key: string): string {
    requireKey(key);
    return join(this.#folder, ...key.split('/'));
  }
}

/** Compares keys by their bytes. Keys are ASCII, so UTF-16 units give the same order. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether every key in `folder` comes before `after`. */
function isBefore(folder: string, after: string): boolean {
  return folder < after && !after.startsWith(folder);
}

async function linkNew(incoming: string, path: string): Promise<PutOutcome> {
  try {
    await link(incoming, path);
    return 'stored';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'already there';
    throw error;
  }
}

async function replace(incoming: string, path: string): Promise<PutOutcome> {
  await rename(incoming, path);
  return 'stored';
}

/** Handles ENOENT and ENOTDIR. ENOTDIR means that a part of the path is an object. */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
