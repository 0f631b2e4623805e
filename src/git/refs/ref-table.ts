import type { Oid } from '../model.ts';

export interface Ref {
  readonly oid: Oid;
  /** the object that an annotated tag finally points to; otherwise null */
  readonly peeled: Oid | null;
}

/** null: deleted */
export type RefChanges = ReadonlyMap<string, Ref | null>;

/** A change set becomes part of a new base when it is larger than this and than an eighth of the base. */
const CHANGES_KEPT = 64;

interface Base {
  readonly refs: ReadonlyMap<string, Ref>;
  /** sorted by their bytes */
  readonly names: readonly string[];
}

/**
 * The refs of one version of a repository. It is immutable. Tables of consecutive versions share most of their memory,
 * so moving one of many refs does not copy all of them.
 */
export class RefTable {
  static readonly EMPTY = new RefTable({ refs: new Map(), names: [] }, new Map());

  readonly #base: Base;
  readonly #changes: RefChanges;
  #changedNames: readonly string[] | undefined;

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
    const base = namesFrom(this.#base.names, prefix);
    const changed = namesFrom(this.#sortedChanges(), prefix);
    let ours = base.next();
    let theirs = changed.next();
    while (ours.done !== true || theirs.done !== true) {
      const order = orderOf(ours, theirs);
      const name = (order <= 0 ? ours.value : theirs.value) ?? '';
      const ref = this.get(name);
      if (ref !== undefined) yield [name, ref];
      if (order <= 0) ours = base.next();
      if (order >= 0) theirs = changed.next();
    }
  }

  /** Counts refs whose names begin with `prefix`: in the base by its order, and then each change. */
  count(prefix: string): number {
    const { names, refs } = this.#base;
    const first = firstNotBefore(names, prefix);
    let total = firstWithout(names, prefix, first) - first;
    for (const [name, ref] of this.#changes) {
      if (name.startsWith(prefix)) total += Number(ref !== null) - Number(refs.has(name));
    }
    return total;
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
    const entries = [...this.entries('')];
    const names = entries.map(([name]) => name);
    return new RefTable({ refs: new Map(entries), names }, new Map());
  }
}

function orderOf(ours: IteratorResult<string, void>, theirs: IteratorResult<string, void>): number {
  if (ours.done === true) return 1;
  if (theirs.done === true) return -1;
  return compareNames(ours.value, theirs.value);
}

function* namesFrom(sorted: readonly string[], prefix: string): Generator<string, void> {
  for (let at = firstNotBefore(sorted, prefix); at < sorted.length; at += 1) {
    const name = sorted[at] ?? '';
    if (!name.startsWith(prefix)) return;
    yield name;
  }
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

/** Compares names by their UTF-8 bytes, as git does. JavaScript's own order differs for surrogates. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const ofA = a.charCodeAt(at);
    const ofB = b.charCodeAt(at);
    if (ofA !== ofB) return rank(ofA) - rank(ofB);
  }
  return a.length - b.length;
}

/** Ranks surrogates above all other units, because they encode the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
