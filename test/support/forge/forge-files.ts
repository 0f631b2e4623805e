import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that the server makes once. It makes those of repositories and of objects whenever it needs them. */
const MADE_ONCE = ['.incoming', 'spool'];

/** The data folder of a forge right after its start: without repositories and objects. */
export class ForgeFiles {
  readonly #folder: string;
  readonly #names: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#names = namesIn(folder).join();
  }

  /**
   * Removes the files of repositories, and objects.
   *
   * @returns false if other files have come or gone
   */
  restore(): boolean {
    for (const name of ['git', 'objects']) empty(join(this.#folder, name));
    return namesIn(this.#folder).join() === this.#names;
  }
}

function empty(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (MADE_ONCE.includes(name)) empty(path);
    else rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).sort();
}
