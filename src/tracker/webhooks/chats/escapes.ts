import type { Part } from './message.ts';

/** Escapes a text for HTML, also in attributes. */
export function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export function htmlOf(parts: readonly Part[]): string {
  return parts
    .map((part) =>
      typeof part === 'string' || !isWeb(part.url)
        ? html(typeof part === 'string' ? part : part.text)
        : `<a href="${html(part.url)}">${html(part.text)}</a>`,
    )
    .join('');
}

/** Escapes a text for Markdown, so that it makes no links, mentions, headings, lists or HTML. */
export function markdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()<>#+\-.!|~@:&]/g, String.raw`\$&`).replaceAll(/[\r\n]+/g, '\n');
}

export function markdownOf(parts: readonly Part[], escaped: (text: string) => string = markdown): string {
  return parts
    .map((part) =>
      typeof part === 'string' || !isWeb(part.url)
        ? escaped(typeof part === 'string' ? part : part.text)
        : `[${escaped(part.text)}](${address(part.url)})`,
    )
    .join('');
}

/** Returns an address without characters that end a link. */
export function address(url: string): string {
  return url.replaceAll(/[\s()<>|"'\\[\]]/g, (char) => encodeURIComponent(char).replace(/[()']/, hexOf));
}

function hexOf(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Whether an address may be a link. Callers can write addresses of other kinds in statuses. */
export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/** Replaces the characters that begin links, tags and mentions where nothing escapes them. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(/[<>[\]()@`*_~#]/g, (char) => WIDE[char] ?? char);
}

/** Characters of the same look without a meaning. */
const WIDE: Readonly<Record<string, string>> = {
  '<': '＜',
  '>': '＞',
  '[': '［',
  ']': '］',
  '(': '（',
  ')': '）',
  '@': '＠',
  '`': '｀',
  '*': '＊',
  _: '＿',
  '~': '～',
  '#': '＃',
};
