/**
 * Items that wait in groups, and in groups within groups. Groups of the same level take turns, so a group with many
 * items delays the other groups no longer than a group with one item.
 */
export class Turns<Item> {
  readonly #items: Item[] = [];
  readonly #groups = new Map<string, Turns<Item>>();
  #size = 0;

  /** items in all groups */
  get size(): number {
    return this.#size;
  }

  /** Counts the items in one group. */
  sizeOf(path: readonly string[]): number {
    const [name, ...rest] = path;
    if (name === undefined) return this.#size;
    return this.#groups.get(name)?.sizeOf(rest) ?? 0;
  }

  /** @param path names of the groups from the outermost one to the group itself */
  add(path: readonly string[], item: Item): void {
    this.#size += 1;
    const [name, ...rest] = path;
    if (name === undefined) {
      this.#items.push(item);
      return;
    }
    const group = this.#groups.get(name) ?? new Turns<Item>();
    this.#groups.set(name, group);
    group.add(rest, item);
  }

  /**
   * Removes an item.
   *
   * @param options.endsTurn whether its groups move to the ends of their queues
   * @returns false if the item does not wait
   */
  remove(path: readonly string[], item: Item, options: { endsTurn: boolean }): boolean {
    const [name, ...rest] = path;
    const isRemoved = name === undefined ? this.#drop(item) : this.#removeFrom(name, rest, item, options);
    if (isRemoved) this.#size -= 1;
    return isRemoved;
  }

  #drop(item: Item): boolean {
    const position = this.#items.indexOf(item);
    if (position !== -1) this.#items.splice(position, 1);
    return position !== -1;
  }

  #removeFrom(name: string, rest: readonly string[], item: Item, options: { endsTurn: boolean }): boolean {
    const group = this.#groups.get(name);
    if (group?.remove(rest, item, options) !== true) return false;
    if (group.size === 0 || options.endsTurn) this.#groups.delete(name);
    if (group.size > 0) this.#groups.set(name, group);
    return true;
  }

  /** Returns the last item of a group. If it has groups within it, returns the last item of the last one. */
  lastOf(path: readonly string[]): Item | undefined {
    const [name = [...this.#groups.keys()].at(-1), ...rest] = path;
    return name === undefined ? this.#items.at(-1) : this.#groups.get(name)?.lastOf(rest);
  }

  /** Yields the first item of each innermost group; the first one has the next turn. */
  *heads(): Generator<Item, undefined> {
    const [first] = this.#items;
    if (first !== undefined) yield first;
    for (const group of this.#groups.values()) yield* group.heads();
  }
}
