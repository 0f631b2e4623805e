import { folderOf, freeTitle, nameKey, pathOf, titleOf } from '../names.ts';

/** The paths that an import has assigned, so that no two files have the same path. */
export class Places {
  readonly #taken = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  /** Reserves the path of a file that keeps its name. */
  reserve(path: string): void {
    this.folder(folderOf(path));
    this.#taken.set(nameKey(path), path);
  }

  has(path: string): boolean {
    return this.#taken.has(nameKey(path));
  }

  /** Returns a path as it was reserved, if only its case differs. Otherwise reserves it. */
  once(path: string): string {
    const known = this.#taken.get(nameKey(path));
    if (known === undefined) this.reserve(path);
    return known ?? path;
  }

  /** Returns a folder as it was written first: two spellings of it are one folder on some file systems. */
  folder(path: string): string {
    let whole = '';
    for (const part of path === '' ? [] : path.split('/')) {
      const next = pathOf(whole, part);
      whole = this.#folders.get(nameKey(next)) ?? next;
      this.#folders.set(nameKey(next), whole);
    }
    return whole;
  }

  /** Chooses a path for a note that differs from all other files of the import on every file system. */
  choose({ folder: wanted, title, suffix }: { folder: string; title: string; suffix: string }): string {
    const folder = this.folder(wanted);
    const free = freeTitle(titleOf(title, suffix), suffix, (name) =>
      this.#taken.has(nameKey(pathOf(folder, name))),
    );
    const path = pathOf(folder, `${free}${suffix}`);
    this.reserve(path);
    return path;
  }
}
