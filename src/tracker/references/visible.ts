import type { MarkdownIt, Token } from 'markdown-it';
import type { ReferenceOptions } from './model.ts';
import { targetOf } from './urls.ts';

/** Stands for code and pictures, so that the text around them does not join. */
const OBJECT = '\uFFFC';
/** Deeper nesting hides the rest of its block. Each level costs time. */
const NESTING_MAX = 20;

/** Rules that decide what is text. Cells of tables are text like any other, so tables need no rule. */
const RULES = [
  ...['code', 'fence', 'blockquote', 'list', 'reference', 'html_block', 'heading', 'lheading'],
  ...[
    'escape',
    'backticks',
    'emphasis',
    'strikethrough',
    'link',
    'image',
    'autolink',
    'html_inline',
    'entity',
  ],
];

let parser: Promise<MarkdownIt> | undefined;

/** The library is loaded with its first use, to start faster. */
async function loadParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it');
  return new Parser('zero', { html: true, maxNesting: NESTING_MAX }).enable(RULES);
}

/**
 * Returns the text of a Markdown source as its readers see it, one paragraph on each line: without code, HTML, pictures
 * and the marks of emphasis. A link to an issue or commit of this server is replaced by its URL; other links are left out.
 */
export async function visibleText(source: string, options: ReferenceOptions): Promise<string> {
  parser ??= loadParser();
  const blocks = (await parser).parse(source, {});
  const paragraphs = blocks.filter(({ type }) => type === 'inline');
  return paragraphs.map(({ children }) => textOf(children ?? [], options)).join('\n\n');
}

function textOf(tokens: readonly Token[], options: ReferenceOptions): string {
  let text = '';
  let linksOpen = 0;
  let codeOpen = 0;
  for (const token of tokens) {
    if (token.type === 'link_open') text += linkText(String(token.attrGet('href') ?? ''), options);
    if (token.type === 'link_open' || token.type === 'link_close') linksOpen += token.nesting;
    else if (token.type === 'html_inline') codeOpen = Math.max(0, codeOpen + codeOpenedBy(token.content));
    if (linksOpen === 0 && codeOpen === 0) text += ownText(token);
  }
  return text;
}

function linkText(href: string, options: ReferenceOptions): string {
  if (targetOf(href, options) === undefined) return OBJECT;
  const url = href.startsWith('/') ? new URL(href, options.baseUrl).href : href;
  return `${url}\n`;
}

/** 1 if an element of HTML opens whose text is code or a link, -1 if it closes. */
export function codeOpenedBy(tag: string): number {
  const [, slash, name] = /^<(\/?)(a|code|pre|samp)\b/i.exec(tag) ?? [];
  if (name === undefined) return 0;
  return slash === '/' ? -1 : 1;
}

function ownText({ type, content }: Token): string {
  switch (type) {
    case 'text':
    case 'text_special':
      return content;
    case 'softbreak':
    case 'hardbreak':
    case 'html_inline':
      return '\n';
    case 'code_inline':
    case 'image':
      return OBJECT;
    default:
      return '';
  }
}
