interface Item {
  readonly number: number;
  readonly seconds: number;
  readonly order: number;
}

/**
 * Commits in the order in which git lists them: the newest first. Of equally old commits, the one that was added first
 * comes first.
 */
export class NewestFirst {
  /** a binary heap: no item comes after the items at twice its position plus one and plus two */
  readonly #items: Item[] = [];
  #added = 0;

  add(number: number, seconds: number): void {
    const item = { number, seconds, order: this.#added };
    this.#added += 1;
    let at = this.#items.length;
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(item, this.#items[parent]); parent = (at - 1) >> 1) {
      this.#move(parent, at);
      at = parent;
    }
    this.#items[at] = item;
  }

  /** seconds of the newest commit; undefined if there is none */
  get newest(): number | undefined {
    return this.#items[0]?.seconds;
  }

  take(): number | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (first === undefined || last === undefined || this.#items.length === 0) return first?.number;
    let at = 0;
    for (
      let child = this.#earlierChild(0);
      isBefore(this.#items[child], last);
      child = this.#earlierChild(at)
    ) {
      this.#move(child, at);
      at = child;
    }
    this.#items[at] = last;
    return first.number;
  }

  #earlierChild(at: number): number {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    return isBefore(this.#items[right], this.#items[left]) ? right : left;
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item !== undefined) this.#items[to] = item;
  }
}

function isBefore(one: Item | undefined, other: Item | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  return one.seconds === other.seconds ? one.order < other.order : one.seconds > other.seconds;
}
