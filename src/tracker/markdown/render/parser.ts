import MarkdownParser, { type MarkdownIt, type Token } from 'markdown-it';
import { addFootnotes } from './footnotes.ts';
import { nameHeadings } from './headings.ts';
import { markReferences } from './references.ts';
import { boundTables } from './tables.ts';
import { markTasks } from './tasks.ts';

let document: MarkdownIt | undefined;
let comment: MarkdownIt | undefined;

/** Returns the parser of GitHub's dialect. It passes HTML on, so its result must be sanitized. */
export function parserFor(keepsLines: boolean): MarkdownIt {
  if (!keepsLines) {
    document ??= createParser({ breaks: false });
    return document;
  }
  comment ??= createParser({ breaks: true });
  return comment;
}

function createParser(options: { breaks: boolean }): MarkdownIt {
  const parser = new MarkdownParser({ html: true, linkify: true, xhtmlOut: true, ...options });
  // Only what has a scheme becomes a link: `example.com` may be the name of a file.
  parser.linkify.set({ fuzzyLink: false, fuzzyIP: false });
  parser.use(addFootnotes).use(boundTables);
  parser.use(useTagsOfTheDialect).use(markTasks).use(nameHeadings).use(markReferences);
  return parser;
}

/** Deleted text is `<del>`, the alignment of a cell is an attribute, and code names its language. */
function useTagsOfTheDialect(parser: MarkdownIt): void {
  parser.core.ruler.push('dialect', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === 'th_open' || token.type === 'td_open') alignByAttribute(token);
      for (const child of token.children ?? []) if (child.tag === 's') child.tag = 'del';
    }
  });
}

function alignByAttribute(cell: Token): void {
  const style = cell.attrGet('style');
  if (style !== null) cell.attrs = [['align', String(style).replace('text-align:', '')]];
}
