import { freeTitle, nameKey, pathOf, suffixOf, titleOf } from '../names.ts';

/** The paths that an import gives away, so that no two of its files get the same one. */
export class Places {
  readonly #taken = new Set<string>();

  /** Keeps the path of a file that has its name already. */
  keep(path: string): void {
    this.#taken.add(nameKey(path));
  }

  /** Chooses the path of a note, which no other file of the import has on any file system. */
  choose({ folder, title, suffix }: { folder: string; title: string; suffix: string }): string {
    const free = freeTitle(titleOf(title, suffix), suffix, (name) =>
      this.#taken.has(nameKey(pathOf(folder, name))),
    );
    const path = pathOf(folder, `${free}${suffix}`);
    this.keep(path);
    return path;
  }
}

/** Returns the folder of a path; '' for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the last part of a path without its extension. */
export function stemOf(path: string): string {
  return nameOf(path).slice(0, nameOf(path).length - suffixOf(path).length);
}
