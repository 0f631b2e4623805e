import type { RenderedPart, RenderWork } from '../model.ts';

const END = '\uE001';

/** Parts of a rendered text that the sanitizer does not see: its input has a mark for each of them. */
export class Holes {
  readonly #mark: string;
  readonly #parts: RenderedPart[] = [];
  #linksCount = 0;

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
    if (typeof part !== 'string') this.#linksCount += 1;
    return `${this.#mark}${this.#parts.length - 1}${END}`;
  }

  /** how many links were added */
  get linksCount(): number {
    return this.#linksCount;
  }

  /** Puts the parts at their marks in `html`. Texts that follow each other are one part. */
  fill(html: string): readonly RenderedPart[] {
    const [first = '', ...rest] = html.split(this.#mark);
    const filled: RenderedPart[] = [];
    let text = first;
    for (const piece of rest) {
      const end = piece.indexOf(END);
      const part = this.#parts[Number(piece.slice(0, end))] ?? '';
      if (typeof part === 'string') {
        text += part;
      } else {
        filled.push(text, part);
        text = '';
      }
      text += piece.slice(end + 1);
    }
    return [...filled, text];
  }
}

/** What `renderParts` passes to the rules of the parser. */
export interface Environment {
  readonly work: RenderWork;
  readonly holes: Holes;
}
