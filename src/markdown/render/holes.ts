import type { RenderedPart, RenderWork } from '../model.ts';

/** Parts of a rendered text that the sanitizer does not see: its input has a mark for each of them. */
export class Holes {
  readonly #mark: string;
  readonly #parts: RenderedPart[] = [];

  /** @param random a text that no user can guess */
  constructor(random: string) {
    this.#mark = `\uE000${random}:`;
  }

  /**
   * Returns the mark for a part.
   *
   * @param part a link, or safe HTML
   */
  add(part: RenderedPart): string {
    this.#parts.push(part);
    return `${this.#mark}${this.#parts.length - 1}\uE001`;
  }

  /** Puts the parts at their marks in `html`. */
  fill(html: string): readonly RenderedPart[] {
    const [first = '', ...rest] = html.split(this.#mark);
    return [first, ...rest.flatMap((piece) => this.#at(piece))];
  }

  #at(piece: string): readonly RenderedPart[] {
    const end = piece.indexOf('\uE001');
    const part = this.#parts[Number(piece.slice(0, end))];
    return [...(part === undefined ? [] : [part]), piece.slice(end + 1)];
  }
}

/** What `renderParts` passes to the rules of the parser. */
export interface Environment {
  readonly work: RenderWork;
  readonly holes: Holes;
}
