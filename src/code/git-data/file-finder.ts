import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { CommitOf } from '../../git/interface/snapshot.ts';
import { GIT_DATA_LIMITS } from './limits.ts';
import { listTree } from './list-tree.ts';

/** Files whose paths match what someone typed. */
export interface FoundFiles {
  /** the best matches first */
  readonly paths: readonly string[];
  /** of all matches */
  readonly total: number;
  /** whether the tree has more entries than were searched */
  readonly isCut: boolean;
}

/** The files of a tree. */
interface ListedFiles {
  readonly paths: readonly string[];
  readonly isComplete: boolean;
}

/** Finds files by parts of their paths. */
export class FileFinder {
  readonly #known = createSizedCache<string, ListedFiles>({
    sizeMax: GIT_DATA_LIMITS.finderPathCharsCachedMax,
    sizeOf: ({ paths }) => paths.reduce((sum, path) => sum + path.length, 64),
  });

  /**
   * Finds the files of a commit whose paths have all characters of a text, in this order.
   *
   * @param text '' for the first files
   * @throws ForgeError `not_found`, `busy`
   */
  async find({ snapshot, oid }: CommitOf, text: string, limit: number): Promise<FoundFiles> {
    const { tree } = await snapshot.objects.readCommit(oid);
    const { paths, isComplete } = await this.#list({ snapshot, oid: tree });
    const wanted = text.toLowerCase().replaceAll(/\s/g, '').slice(0, GIT_DATA_LIMITS.finderTextCharsMax);
    const isCut = !isComplete;
    if (wanted === '') return { paths: paths.slice(0, limit), total: paths.length, isCut };
    const buckets: string[][] = [[], [], [], []];
    let total = 0;
    for (const [index, path] of paths.entries()) {
      if (index % PATHS_IN_ONE_GO === PATHS_IN_ONE_GO - 1) await giveOthersATurn();
      const bucket = buckets[rankOf(path.toLowerCase(), wanted) ?? NO_MATCH];
      if (bucket === undefined) continue;
      total += 1;
      if (bucket.length < GIT_DATA_LIMITS.finderMatchesSortedMax) bucket.push(path);
    }
    const best = buckets.flatMap((each) => each.toSorted((one, other) => one.length - other.length));
    return { paths: best.slice(0, limit), total, isCut };
  }

  async #list({ snapshot, oid: tree }: CommitOf): Promise<ListedFiles> {
    const known = this.#known.get(tree);
    if (known !== undefined) return known;
    const { entries, isComplete } = await listTree(snapshot.objects, tree, { isRecursive: true });
    const paths = entries.filter(({ mode }) => FILES.has(mode)).map(({ path }) => path);
    const listed = { paths, isComplete };
    this.#known.set(tree, listed);
    return listed;
  }
}

const FILES: ReadonlySet<string> = new Set(['100644', '100755', '120000']);

/** Searching gives way to other work after this many paths. */
const PATHS_IN_ONE_GO = 5_000;
const NO_MATCH = -1;

/** Returns a low number for a good match: of the name, of the path, or of characters apart; undefined for none. */
function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = -1;
  for (const character of wanted) {
    at = path.indexOf(character, at + 1);
    if (at === -1) return undefined;
  }
  return 3;
}
