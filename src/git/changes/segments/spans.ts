import { lastAtMost } from '../ascending.ts';

/** Commits of one chain, both inclusive. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** Separate parts of one chain. Most are added from the end of the chain to its start. */
export class Spans {
  /** the last part of the chain first */
  readonly #spans: Span[] = [];

  has(number: number): boolean {
    const span = this.#spans[this.#upTo(number)];
    return span !== undefined && span.first <= number;
  }

  /** Returns the last commit of the next part below `number`, which is in no part. */
  below(number: number): number | undefined {
    return this.#spans[this.#upTo(number) + 1]?.last;
  }

  /** Adds a part that does not overlap with another part. */
  add(span: Span): void {
    this.#spans.splice(this.#upTo(span.last) + 1, 0, span);
  }

  /** Returns the index of the lowest part whose last commit is not below `number`; -1 if there is none. */
  #upTo(number: number): number {
    return lastAtMost(this.#spans.length, -number, (index) => -(this.#spans[index]?.last ?? 0));
  }
}
