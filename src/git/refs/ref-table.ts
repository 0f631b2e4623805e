import type { Oid } from '../format/model.ts';
import { compareNames } from '../format/ref-names.ts';

export interface Ref {
  readonly oid: Oid;
  /** the object that an annotated tag finally points to; otherwise null */
  readonly peeled: Oid | null;
}

/** null: deleted */
export type RefChanges = ReadonlyMap<string, Ref | null>;

/** A change set becomes part of a new base when it is larger than this and than an eighth of the base. */
const CHANGES_KEPT = 64;

class Base {
  readonly refs: ReadonlyMap<string, Ref>;
  /** sorted by their bytes */
  readonly names: readonly string[];
  /** the refs of the names */
  readonly values: readonly Ref[];
  #targets: ReadonlyMap<Oid, number> | undefined;

  /** @param refs in the order of their names */
  constructor(refs: ReadonlyMap<string, Ref>) {
    this.refs = refs;
    this.names = [...refs.keys()];
    this.values = [...refs.values()];
  }

  /** how many refs point to each object */
  get targets(): ReadonlyMap<Oid, number> {
    this.#targets ??= countTargets(this.values);
    return this.#targets;
  }
}

/**
 * The refs of one version of a repository. It is immutable. Tables of consecutive versions share most of their memory,
 * so moving one of many refs does not copy all of them.
 */
export class RefTable {
  static readonly EMPTY = new RefTable(new Base(new Map()), new Map());

  readonly #base: Base;
  readonly #changes: RefChanges;
  #changedNames: readonly string[] | undefined;
  #moved: ReadonlyMap<Oid, number> | undefined;

  private constructor(base: Base, changes: RefChanges) {
    this.#base = base;
    this.#changes = changes;
  }

  /** Approximate number of refs that it keeps in memory. */
  get weight(): number {
    return 1 + this.#base.refs.size + this.#changes.size;
  }

  get(name: string): Ref | undefined {
    const changed = this.#changes.get(name);
    if (changed === undefined) return this.#base.refs.get(name);
    return changed ?? undefined;
  }

  with(changes: RefChanges): RefTable {
    if (changes.size === 0) return this;
    const all = new Map([...this.#changes, ...changes]);
    const table = new RefTable(this.#base, all);
    const isSmall = all.size <= Math.max(CHANGES_KEPT, this.#base.refs.size / 8);
    return isSmall ? table : table.#folded();
  }

  /** Yields refs whose names begin with `prefix`, sorted by the bytes of their names. */
  *entries(prefix: string): Generator<readonly [name: string, ref: Ref]> {
    const { names, values } = this.#base;
    const changed = this.#sortedChanges();
    let [ours, oursEnd] = rangeOf(names, prefix);
    let [theirs, theirsEnd] = rangeOf(changed, prefix);
    while (ours < oursEnd || theirs < theirsEnd) {
      const name = names[ours] ?? '';
      const changedName = changed[theirs] ?? '';
      const order = theirs === theirsEnd ? -1 : ours === oursEnd ? 1 : compareNames(name, changedName);
      const ref = order < 0 ? values[ours] : this.#changes.get(changedName);
      if (ref) yield [order < 0 ? name : changedName, ref];
      if (order <= 0) ours += 1;
      if (order >= 0) theirs += 1;
    }
  }

  /** Counts refs whose names begin with `prefix`: in the base by its order, and then each change. */
  count(prefix: string): number {
    const { names, refs } = this.#base;
    const [first, end] = rangeOf(names, prefix);
    let total = end - first;
    for (const [name, ref] of this.#changes) {
      if (name.startsWith(prefix)) total += Number(ref !== null) - Number(refs.has(name));
    }
    return total;
  }

  /** Whether a ref points to the object itself. Visits the changes once for each table, and all refs once for each base. */
  hasTarget(oid: Oid): boolean {
    this.#moved ??= this.#countMoved();
    return (this.#base.targets.get(oid) ?? 0) + (this.#moved.get(oid) ?? 0) > 0;
  }

  /** Counts how many more refs point to each object than in the base. */
  #countMoved(): ReadonlyMap<Oid, number> {
    const moved = new Map<Oid, number>();
    const add = (ref: Ref | null | undefined, count: number) => {
      if (ref) moved.set(ref.oid, (moved.get(ref.oid) ?? 0) + count);
    };
    for (const [name, ref] of this.#changes) {
      add(ref, 1);
      add(this.#base.refs.get(name), -1);
    }
    return moved;
  }

  /** Whether a ref exists below `folder`. */
  hasBelow(folder: string): boolean {
    return this.entries(`${folder}/`).next().done !== true;
  }

  #sortedChanges(): readonly string[] {
    this.#changedNames ??= [...this.#changes.keys()].sort(compareNames);
    return this.#changedNames;
  }

  #folded(): RefTable {
    return new RefTable(new Base(new Map(this.entries(''))), new Map());
  }
}

function countTargets(refs: Iterable<Ref>): ReadonlyMap<Oid, number> {
  const counts = new Map<Oid, number>();
  for (const { oid } of refs) counts.set(oid, (counts.get(oid) ?? 0) + 1);
  return counts;
}

/** Returns the positions of the first name that begins with the prefix, and after the last one. */
function rangeOf(sorted: readonly string[], prefix: string): [first: number, end: number] {
  const first = firstNotBefore(sorted, prefix);
  return [first, firstWithout(sorted, prefix, first)];
}

function firstNotBefore(sorted: readonly string[], prefix: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareNames(sorted[middle] ?? '', prefix) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param first position of the first name with the prefix; the others with it follow */
function firstWithout(sorted: readonly string[], prefix: string, first: number): number {
  let low = first;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]?.startsWith(prefix) === true) low = middle + 1;
    else high = middle;
  }
  return low;
}
