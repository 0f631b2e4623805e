import { folderOf, isNoteName, nameOf, stemOf } from '../../names.ts';
import { resolvePath } from '../links.ts';

/** A file of a source, and its new path. */
export interface PlacedName {
  /** in the source */
  readonly name: string;
  /** in the notebook */
  readonly path: string;
}

const JOURNAL = /^(\d{4})[_-](\d{2})[_-](\d{2})$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Finds the files that links in notes name. */
export class LinkedFiles {
  readonly #byName = new Map<string, PlacedName>();
  /** by the last part of their paths, for notes also without the extension; the file nearest to the root is first */
  readonly #byLastPart = new Map<string, PlacedName[]>();

  constructor(files: Iterable<PlacedName>, titles: Iterable<readonly [title: string, file: PlacedName]>) {
    const sorted = [...files].sort((one, other) => depthOf(one.name) - depthOf(other.name));
    for (const file of sorted) {
      this.#byName.set(keyOf(file.name), file);
      const last = nameOf(file.name);
      const stem = stemOf(file.name);
      this.#add(last, file);
      if (isNoteName(last, []) || isResourceId(stem)) this.#add(stem, file);
    }
    for (const [title, file] of titles) {
      this.#add(title, file);
      this.#add(dayOf(title), file);
    }
  }

  #add(key: string, file: PlacedName): void {
    const list = this.#byLastPart.get(keyOf(key));
    if (list === undefined) this.#byLastPart.set(keyOf(key), [file]);
    else list.push(file);
  }

  /** Finds the file at a path, relative to the note or to the root. */
  atPath(from: string, path: string): PlacedName | undefined {
    const beside = resolvePath(from, path);
    return (
      (beside === undefined ? undefined : this.#byName.get(keyOf(beside))) ??
      this.#byName.get(keyOf(path.replace(/^\/+/, '')))
    );
  }

  /** Finds a file by its Joplin id. */
  byId(id: string): PlacedName | undefined {
    return this.#byLastPart.get(keyOf(id))?.[0];
  }

  /** Finds the file that a wiki link names, by its path, name or title. A file beside the note has priority. */
  named(from: string, target: string): PlacedName | undefined {
    const exact = this.atPath(from, target) ?? this.atPath(from, `${target}.md`);
    if (exact !== undefined) return exact;
    const found =
      this.#byLastPart.get(keyOf(target)) ??
      this.#byLastPart.get(keyOf(dayOf(target))) ??
      this.#byLastPart
        .get(keyOf(nameOf(target)))
        ?.filter(({ name }) => `/${keyOf(name)}`.replace(/\.[^./]*$/, '').endsWith(`/${keyOf(target)}`));
    return found?.find(({ name }) => folderOf(name) === folderOf(from)) ?? found?.[0];
  }
}

/** Returns the same key for names that differ only in case and normalization, because apps do not distinguish them. */
function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function depthOf(name: string): number {
  return name.split('/').length;
}

function isResourceId(stem: string): boolean {
  return /^[0-9a-f]{32}$/.test(stem);
}

/** Returns the same text for both date formats of Logseq: `2024_01_31` and `Jan 31st, 2024`. */
function dayOf(title: string): string {
  const [, year = '', month = '', day = ''] = JOURNAL.exec(title) ?? [];
  if (year !== '') return `${year}-${month}-${day}`;
  const [, name = '', date = '', inYear = ''] =
    /^([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4})$/i.exec(title) ?? [];
  const index = MONTHS.indexOf(name.toLowerCase());
  return index === -1 ? title : `${inYear}-${`${index + 1}`.padStart(2, '0')}-${date.padStart(2, '0')}`;
}
