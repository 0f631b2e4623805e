import { setImmediate } from 'node:timers/promises';
import type { Oid, TreeEntry } from '../../git/format/model.ts';
import { textOfPath } from '../../git/format/name-bytes.ts';
import type { StoredTree } from '../../git/format/stored-tree.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { type ChangedEntry, changedEntries } from '../../git/trees/changed-entries.ts';
import { LANGUAGE_LIMITS } from './limits.ts';
import { type LanguageRules, ROOT_SURROUNDINGS, type Surroundings } from './rules.ts';

/** The trees have more files than a measurement may read. */
export class TooManyFilesError extends Error {}

/** A folder before and after; null: absent. */
interface Pair {
  readonly path: string;
  readonly around: Surroundings;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/** A folder to compare. Many may wait, so it has no path of its own, which may be long. */
interface WaitingFolder {
  readonly parent: Pair;
  readonly name: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/** For each language, the change in the number of files with a given content. */
type FilesByLanguage = Map<string, number>;

const FOLDER = '040000';

interface Dependencies {
  readonly objects: ObjectReader;
  readonly rules: LanguageRules;
  readonly signal: AbortSignal;
}

/**
 * Computes the change in the bytes of each language between two trees. Skips what is the same in both, so the cost
 * depends on what changed; without a first tree, on the whole second one. Reads only the sizes of files.
 */
export class TreeComparison {
  readonly #use: Dependencies;
  readonly #bytes = new Map<string, number>();
  readonly #folders: WaitingFolder[] = [];
  #waiting = new Map<Oid, FilesByLanguage>();
  #entriesSeen = 0;
  #entriesSinceRest = 0;

  constructor(source: Dependencies) {
    this.#use = source;
  }

  /**
   * @throws TooManyFilesError; ForgeError `not_found` if an object is missing; the reason of the signal
   */
  async run(before: Oid | null, after: Oid | null): Promise<ReadonlyMap<string, number>> {
    if (before !== after) await this.#compare({ path: '', around: ROOT_SURROUNDINGS, before, after });
    for (let folder = this.#folders.pop(); folder !== undefined; folder = this.#folders.pop()) {
      const pair = this.#pairOf(folder);
      if (pair !== undefined) await this.#compare(pair);
    }
    await this.#weighWaiting();
    return this.#bytes;
  }

  /** Returns undefined for a folder whose files do not count. */
  #pairOf({ parent, name, before, after }: WaitingFolder): Pair | undefined {
    if (before === after) return undefined;
    const path = pathIn(parent, name);
    const around = this.#use.rules.inFolder(path, parent.around);
    return around === undefined ? undefined : { path, around, before, after };
  }

  async #compare(pair: Pair): Promise<void> {
    const [before, after] = await Promise.all([this.#open(pair.before), this.#open(pair.after)]);
    for (const change of changedEntries(before, after)) this.#changed(pair, change);
    await this.#rest((before?.size ?? 0) + (after?.size ?? 0));
    if (this.#waiting.size >= LANGUAGE_LIMITS.languageSizesReadAtOnce) await this.#weighWaiting();
  }

  async #open(tree: Oid | null): Promise<StoredTree | null> {
    return tree === null ? null : this.#use.objects.openTree(tree);
  }

  #changed(pair: Pair, { before, after, either }: ChangedEntry): void {
    const name = textOfPath(either.name);
    const path = pathIn(pair, name);
    if (path.length > GIT_LIMITS.treePathBytesMax) return;
    this.#changedFolder(pair, name, { before: treeIn(before), after: treeIn(after) });
    const language = this.#use.rules.ofFile(path, pair.around);
    if (language === undefined) return;
    if (isFile(before)) this.#count(before.oid, language, -1);
    if (isFile(after)) this.#count(after.oid, language, 1);
  }

  #changedFolder(parent: Pair, name: string, trees: Pick<Pair, 'before' | 'after'>): void {
    if (trees.before !== null || trees.after !== null) this.#folders.push({ parent, name, ...trees });
  }

  async #rest(entries: number): Promise<void> {
    this.#entriesSeen += entries;
    this.#entriesSinceRest += entries;
    if (this.#entriesSeen > LANGUAGE_LIMITS.languageFilesMax) throw new TooManyFilesError();
    if (this.#entriesSinceRest < LANGUAGE_LIMITS.languageFilesInOneGo) return;
    this.#entriesSinceRest = 0;
    // Reading from memory never yields to other requests by itself.
    await setImmediate(undefined, { signal: this.#use.signal });
  }

  #count(oid: Oid, language: string, by: 1 | -1): void {
    const files: FilesByLanguage = this.#waiting.get(oid) ?? new Map();
    files.set(language, (files.get(language) ?? 0) + by);
    this.#waiting.set(oid, files);
  }

  async #weighWaiting(): Promise<void> {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let at = 0; at < waiting.length; at += LANGUAGE_LIMITS.languageSizesReadAtOnce) {
      this.#use.signal.throwIfAborted();
      const some = waiting.slice(at, at + LANGUAGE_LIMITS.languageSizesReadAtOnce);
      await Promise.all(some.map(([oid, files]) => this.#weigh(oid, files)));
    }
  }

  async #weigh(oid: Oid, files: FilesByLanguage): Promise<void> {
    const info = await this.#use.objects.info(oid);
    if (info === undefined) throw new MissingBlobError();
    for (const [language, count] of files)
      this.#bytes.set(language, (this.#bytes.get(language) ?? 0) + count * info.sizeBytes);
  }
}

/** A file that one of the trees names is missing. */
export class MissingBlobError extends Error {}

function pathIn(folder: Pair, name: string): string {
  return folder.path === '' ? name : `${folder.path}/${name}`;
}

function treeIn(entry: TreeEntry | undefined): Oid | null {
  return entry?.mode === FOLDER ? entry.oid : null;
}

/** Whether an entry is a file. Links and submodules have no content to count. */
function isFile(entry: TreeEntry | undefined): entry is TreeEntry {
  return entry?.mode === '100644' || entry?.mode === '100755';
}
