import { withVisibleCharacters } from './text.ts';

/** Text that is safe to insert into HTML. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly Html[];

/**
 * Builds HTML. Escapes every value that is not `Html`. Shows the invisible characters of names, such as `\u{202e}`, as
 * text. Values of attributes keep these characters, because an address must lead to the same place and a form must send
 * the same text. Use `asWritten` for texts that keep them, too.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let isAttribute = false;
  const pieces = strings.map((text, index) => {
    isAttribute = endsInAttribute(text, isAttribute);
    return text + rendered(parts[index] ?? '', isAttribute);
  });
  return { html: pieces.join('') };
}

/** Inserts a text as its author wrote it: the content of a file, a message or a comment. */
export function asWritten(text: string): Html {
  return { html: escapeHtml(text) };
}

/** Whether the place after `text` is in the quoted value of an attribute. */
function endsInAttribute(text: string, wasInAttribute: boolean): boolean {
  const quote = text.lastIndexOf('"');
  return quote === -1 ? wasInAttribute : text.charAt(quote - 1) === '=';
}

function rendered(part: Part, isAttribute: boolean): string {
  if (typeof part === 'string' || typeof part === 'number') {
    const text = String(part);
    return escapeHtml(isAttribute ? text : withVisibleCharacters(text));
  }
  return 'html' in part ? part.html : part.map((one) => one.html).join('');
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
