import { Parser } from 'htmlparser2';
import { asWritten } from '../../../../base/core/text/html.ts';

/** A file inside a note, as the text of the note names it. */
export interface Media {
  /** target of a link in the note; undefined if the note does not contain the file */
  readonly target: string | undefined;
  readonly name: string;
  readonly isPicture: boolean;
}

/** Attributes that have a meaning in Markdown. */
const KEPT: ReadonlySet<string> = new Set(['href', 'src', 'alt', 'title', 'start']);
const EMPTY: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input']);

/**
 * Converts the text of a note of Evernote from XML to HTML, with boxes to tick, code, and the files in the note.
 *
 * @param mediaOf finds a file by the MD5 hash of its content, as hex
 * @returns the HTML, and whether a part is encrypted
 * @see https://dev.evernote.com/doc/articles/enml.php
 */
export function enmlToHtml(
  enml: string,
  mediaOf: (hash: string) => Media,
): { html: string; isPartEncrypted: boolean } {
  const writer = new HtmlWriter(mediaOf);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      ontext: (text) => writer.text(text),
      onclosetag: () => writer.close(),
    },
    // ENML has the named characters of HTML.
    { recognizeSelfClosing: true, decodeEntities: true },
  );
  parser.end(enml);
  return writer.result();
}

type Attributes = Readonly<Record<string, string>>;

/** Writes elements as they open and close. Writes only the text of code, and leaves out encrypted parts. */
class HtmlWriter {
  readonly #mediaOf: (hash: string) => Media;
  readonly #html: string[] = [];
  /** what each open element writes at its end */
  readonly #ends: (() => void)[] = [];
  #codeDepth = 0;
  #encryptedDepth = 0;
  #isPartEncrypted = false;

  constructor(mediaOf: (hash: string) => Media) {
    this.#mediaOf = mediaOf;
  }

  open(name: string, attributes: Attributes): void {
    this.#ends.push(this.#opened(name, attributes));
  }

  text(text: string): void {
    this.#write(escaped(this.#codeDepth > 0 ? text.replaceAll('\u00a0', ' ') : text));
  }

  close(): void {
    this.#ends.pop()?.();
  }

  result(): { html: string; isPartEncrypted: boolean } {
    return { html: this.#html.join(''), isPartEncrypted: this.#isPartEncrypted };
  }

  #write(html: string): void {
    if (this.#encryptedDepth === 0) this.#html.push(html);
  }

  /** @returns a function to call when the element ends */
  #opened(name: string, attributes: Attributes): () => void {
    const style = (attributes.style ?? '').replaceAll(' ', '');
    if (name === 'en-crypt') return this.#encrypted();
    if (name === 'en-media')
      return this.#empty(mediaHtml(this.#mediaOf((attributes.hash ?? '').toLowerCase())));
    if (name === 'en-todo') return this.#empty(boxHtml(attributes.checked === 'true'));
    if (name === 'pre' || style.includes('-en-codeblock:true')) return this.#code();
    if (this.#codeDepth > 0) return this.#inCode(name);
    if (EMPTY.has(name)) return this.#empty(`<${name}${kept(attributes)}>`);
    const element = name === 'en-note' ? 'div' : name;
    this.#write(`<${element}${kept(attributes)}>`);
    const checked = /--en-checked:(true|false)/.exec(style)?.[1];
    if (element === 'li' && checked !== undefined) this.#write(boxHtml(checked === 'true'));
    return () => this.#write(`</${element}>`);
  }

  #empty(html: string): () => void {
    this.#write(html);
    return () => {};
  }

  #encrypted(): () => void {
    this.#write('[encrypted]');
    this.#isPartEncrypted = true;
    this.#encryptedDepth += 1;
    return () => {
      this.#encryptedDepth -= 1;
    };
  }

  #code(): () => void {
    if (this.#codeDepth === 0) this.#write('<pre><code>');
    this.#codeDepth += 1;
    return () => {
      this.#codeDepth -= 1;
      if (this.#codeDepth === 0) this.#write('</code></pre>');
    };
  }

  /** Each line of code is an element, or ends with a break. */
  #inCode(name: string): () => void {
    if (name === 'br') this.#write('\n');
    return () => {
      if (name === 'div') this.#write('\n');
    };
  }
}

function kept(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .filter(([name]) => KEPT.has(name))
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('');
}

function escaped(text: string): string {
  return asWritten(text).html;
}

function boxHtml(isChecked: boolean): string {
  return `<input type="checkbox"${isChecked ? ' checked' : ''}>`;
}

function mediaHtml({ target, name, isPicture }: Media): string {
  if (target === undefined) return '[missing]';
  if (isPicture) return `<img src="${escaped(target)}" alt="${escaped(name)}">`;
  return `<a href="${escaped(target)}">${escaped(name)}</a>`;
}
