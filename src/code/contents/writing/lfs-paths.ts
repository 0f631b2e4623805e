import type { Oid } from '../../../git/format/model.ts';
import { textOfPath } from '../../../git/format/name-bytes.ts';
import { type PathPattern, pathPattern, TakenPath } from '../../../git/format/path-pattern.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import { CONTENTS_LIMITS } from '../limits.ts';

/** What a line of `.gitattributes` sets the attribute `filter` to; null: to nothing. */
type Filter = string | null;

interface Rule {
  readonly pattern: PathPattern;
  readonly filter: Filter;
}

const ATTRIBUTES = '.gitattributes';
const MACRO = '[attr]';

/**
 * Returns those of the paths that git-lfs would keep outside the repository: the attribute `filter` is `lfs`, by the
 * `.gitattributes` of the tree. The closest file decides, and in it the last line that matches.
 *
 * @see gitattributes(5)
 */
export async function findLfsPaths(
  objects: ObjectReader,
  tree: Oid,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const files = new AttributeFiles(objects, tree);
  const found = new Set<string>();
  for (const path of paths) if ((await files.filterOf(path)) === 'lfs') found.add(path);
  return found;
}

class AttributeFiles {
  readonly #objects: ObjectReader;
  readonly #tree: Oid;
  /** by folder, '' for the root */
  readonly #rules = new Map<string, readonly Rule[]>();
  /** macros of the root, which are the only ones */
  readonly #macros = new Map<string, Filter>();

  constructor(objects: ObjectReader, tree: Oid) {
    this.#objects = objects;
    this.#tree = tree;
  }

  async filterOf(path: string): Promise<Filter> {
    // The root comes first, because its macros hold for all folders.
    for (const folder of foldersOf(path)) await this.#read(folder);
    for (const folder of foldersOf(path).toReversed()) {
      const taken = new TakenPath(textOfPath(folder === '' ? path : path.slice(folder.length + 1)));
      const rule = this.#rules.get(folder)?.find(({ pattern }) => pattern.matches(taken));
      if (rule !== undefined) return rule.filter;
    }
    return null;
  }

  async #read(folder: string): Promise<void> {
    if (this.#rules.has(folder)) return;
    const text = await this.#textIn(folder);
    const lines = text.split('\n').slice(0, CONTENTS_LIMITS.lfsAttributeLinesMax);
    const rules = lines.flatMap((line) => this.#ruleOf(line, { isRoot: folder === '' }));
    this.#rules.set(folder, rules.toReversed());
  }

  /** @returns '' if the folder has no such file, or a file that is too large */
  async #textIn(folder: string): Promise<string> {
    const path = folder === '' ? ATTRIBUTES : `${folder}/${ATTRIBUTES}`;
    const entry = await findEntry(this.#objects, this.#tree, path);
    if (entry === undefined || !entry.mode.startsWith('100')) return '';
    const info = await this.#objects.info(entry.oid);
    if (info === undefined || info.sizeBytes > CONTENTS_LIMITS.lfsAttributesBytesMax) return '';
    const blob = await this.#objects.readBlob(entry.oid, {
      blobBytesMax: CONTENTS_LIMITS.lfsAttributesBytesMax,
    });
    return Buffer.from(blob).toString();
  }

  #ruleOf(line: string, { isRoot }: { isRoot: boolean }): readonly Rule[] {
    const { first, words } = splitLine(line.trim());
    if (first === '' || first.startsWith('#')) return [];
    const filter = this.#filterIn(words);
    if (filter === undefined) return [];
    if (first.startsWith(MACRO)) {
      if (isRoot) this.#macros.set(first.slice(MACRO.length), filter);
      return [];
    }
    const pattern = pathPattern(first);
    return pattern === undefined ? [] : [{ pattern, filter }];
  }

  /** @returns undefined if no word concerns the filter */
  #filterIn(words: readonly string[]): Filter | undefined {
    let filter: Filter | undefined;
    for (const word of words) {
      const macro = this.#macros.get(word);
      if (macro !== undefined) filter = macro;
      else if (word.startsWith('filter=')) filter = word.slice('filter='.length);
      else if (word === '-filter' || word === '!filter' || word === 'filter') filter = null;
    }
    return filter;
  }
}

/** Returns the folders that contain a path, the root first. */
function foldersOf(path: string): readonly string[] {
  const folders = [''];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** Splits a line into its pattern, which may be in quotes, and its attributes. */
function splitLine(line: string): { first: string; words: readonly string[] } {
  const quoted = /^"((?:[^"\\]|\\.)*)"(.*)$/.exec(line);
  const [first = '', rest = ''] =
    quoted === null
      ? [line.split(/[ \t]/, 1)[0], line.replace(/^[^ \t]*/, '')]
      : [unquoted(quoted[1] ?? ''), quoted[2]];
  return { first, words: rest.split(/[ \t\r]+/).filter((word) => word !== '') };
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

/** Reads the escapes of C in a quoted pattern. Octal ones stand for bytes of UTF-8. */
function unquoted(text: string): string {
  const bytes = text.replaceAll(/(?:\\[0-7]{3})+/g, (run) =>
    Buffer.from(
      run
        .split('\\')
        .slice(1)
        .map((digits) => Number.parseInt(digits, 8)),
    ).toString(),
  );
  return bytes.replaceAll(/\\(.)/g, (_, escaped: string) => ESCAPES.get(escaped) ?? escaped);
}
