import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { MARKDOWN_LIMITS } from '../limits.ts';

/**
 * Drops the tags of deeper elements before the parser of HTML sees them, and leaves their contents. The parser moves all of
 * its open elements for each new one, so a text that opens many would take quadratic time. Browsers lay out deep elements
 * slowly, too.
 */
export class DepthBound {
  #open = 0;

  opened(): void {
    this.#open += 1;
  }

  closed(): void {
    this.#open -= 1;
  }

  /** Returns the class that cuts HTML into tags for the parser. */
  tokenizer(): typeof Tokenizer {
    const passed = (parser: TokenizerCallbacks) => this.#passed(parser);
    return class extends Tokenizer {
      constructor(options: ConstructorParameters<typeof Tokenizer>[0], parser: TokenizerCallbacks) {
        super(options, passed(parser));
      }
    };
  }

  #passed(parser: TokenizerCallbacks): TokenizerCallbacks {
    const openBefore = this.#open;
    const isFull = () => this.#open >= MARKDOWN_LIMITS.renderedNestingMax;
    const end = () => {
      parser.onend();
      // The sanitizer reads the HTML in a frame apart. A tag that its end cuts off closes, but has not opened.
      this.#open = openBefore;
    };
    return { ...shallow(parser, isFull), onend: end };
  }
}

/** @param isFull whether a tag that opens now is dropped */
function shallow(parser: TokenizerCallbacks, isFull: () => boolean): Omit<TokenizerCallbacks, 'onend'> {
  let isInDropped = false;
  const unlessDropped =
    <Position extends unknown[]>(pass: (...position: Position) => void) =>
    (...position: Position): void => {
      if (!isInDropped) pass(...position);
    };
  const atEnd = (pass: (end: number) => void) => (end: number) => {
    if (!isInDropped) pass(end);
    isInDropped = false;
  };
  return {
    onopentagname: (start, end) => {
      isInDropped = isFull();
      if (!isInDropped) parser.onopentagname(start, end);
    },
    onattribname: unlessDropped((start, end) => parser.onattribname(start, end)),
    onattribdata: unlessDropped((start, end) => parser.onattribdata(start, end)),
    onattribentity: unlessDropped((codepoint) => parser.onattribentity(codepoint)),
    onattribend: unlessDropped((quote, end) => parser.onattribend(quote, end)),
    onopentagend: atEnd((end) => parser.onopentagend(end)),
    onselfclosingtag: atEnd((end) => parser.onselfclosingtag(end)),
    onclosetag: (start, end) => parser.onclosetag(start, end),
    oncdata: (start, end, offset) => parser.oncdata(start, end, offset),
    oncomment: (start, end, offset) => parser.oncomment(start, end, offset),
    ondeclaration: (start, end) => parser.ondeclaration(start, end),
    onprocessinginstruction: (start, end) => parser.onprocessinginstruction(start, end),
    ontext: (start, end) => parser.ontext(start, end),
    ontextentity: (codepoint, end) => parser.ontextentity(codepoint, end),
    isInForeignContext: () => parser.isInForeignContext?.() ?? false,
  };
}
