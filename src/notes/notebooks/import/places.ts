import { freeTitle, nameKey, pathOf, suffixOf, titleOf } from '../names.ts';

/** The paths that an import has assigned, so that no two files have the same path. */
export class Places {
  readonly #taken = new Set<string>();

  /** Reserves the path of a file that keeps its name. */
  keep(path: string): void {
    this.#taken.add(nameKey(path));
  }

  /** Chooses a path for a note that differs from all other files of the import on every file system. */
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
