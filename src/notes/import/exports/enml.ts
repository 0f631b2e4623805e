import { Parser } from 'htmlparser2';

/** A file inside a note, as the text of the note names it. */
export interface Media {
  /** from the note; undefined: the note does not have it */
  readonly target: string | undefined;
  readonly name: string;
  readonly isPicture: boolean;
}

/** Attributes that have a meaning in Markdown. */
const KEPT: ReadonlySet<string> = new Set(['href', 'src', 'alt', 'title', 'start']);
const EMPTY: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input']);

/**
 * Writes the text of a note of Evernote, which is XML, as HTML: with boxes to tick, code, and the files in the note.
 *
 * @param mediaOf finds a file by the MD5 hash of its content, as hex
 * @returns whether a part is encrypted, besides
 * @see https://dev.evernote.com/doc/articles/enml.php
 */
export function enmlToHtml(
  enml: string,
  mediaOf: (hash: string) => Media,
): { html: string; isPartEncrypted: boolean } {
  const html: string[] = [];
  const open: string[] = [];
  let encrypted = 0;
  let isPartEncrypted = false;
  const write = (text: string) => {
    if (encrypted === 0) html.push(text);
  };
  /** The name by which an element is written, which decides how it ends. */
  const opened = (name: string, attributes: Readonly<Record<string, string>>): string => {
    const style = (attributes.style ?? '').replaceAll(' ', '');
    if (name === 'en-media') {
      write(mediaHtml(mediaOf((attributes.hash ?? '').toLowerCase())));
      return '';
    }
    if (name === 'en-todo') {
      write(boxHtml(attributes.checked === 'true'));
      return '';
    }
    if (name === 'en-crypt') {
      write('[encrypted]');
      isPartEncrypted = true;
      encrypted += 1;
      return name;
    }
    if (/-en-codeblock:true/.test(style)) {
      write('<pre><code>');
      return 'pre';
    }
    if (EMPTY.has(name) || open.includes('pre')) {
      write(open.includes('pre') ? (name === 'br' ? '\n' : '') : `<${name}${kept(attributes)}>`);
      return open.includes('pre') && name === 'div' ? 'code-line' : '';
    }
    const element = name === 'en-note' ? 'div' : name;
    write(`<${element}${kept(attributes)}>`);
    const checked = /--en-checked:(true|false)/.exec(style)?.[1];
    if (element === 'li' && checked !== undefined) write(boxHtml(checked === 'true'));
    return element;
  };
  const closed = (element: string) => {
    if (element === 'en-crypt') encrypted -= 1;
    else if (element === 'pre') write('</code></pre>');
    else if (element === 'code-line') write('\n');
    else if (element !== '') write(`</${element}>`);
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => void open.push(opened(name, attributes)),
      ontext: (text) => write(escapeHtml(text)),
      onclosetag: () => closed(open.pop() ?? ''),
    },
    // Its names of characters are those of HTML.
    { recognizeSelfClosing: true, decodeEntities: true },
  );
  parser.end(enml);
  return { html: html.join(''), isPartEncrypted };
}

function kept(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .filter(([name]) => KEPT.has(name))
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}

/** Text stays as it is, also characters that people do not see. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function boxHtml(isChecked: boolean): string {
  return `<input type="checkbox"${isChecked ? ' checked' : ''}>`;
}

function mediaHtml({ target, name, isPicture }: Media): string {
  if (target === undefined) return '[missing]';
  if (isPicture) return `<img src="${escapeHtml(target)}" alt="${escapeHtml(name)}">`;
  return `<a href="${escapeHtml(target)}">${escapeHtml(name)}</a>`;
}
