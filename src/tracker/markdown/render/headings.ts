import type { MarkdownIt, Token } from 'markdown-it';

/** Gives each heading an id from its text, with a number if it repeats. */
export function nameHeadings(parser: MarkdownIt): void {
  parser.core.ruler.push('heading_ids', ({ tokens }) => {
    const used = new Map<string, number>();
    tokens.forEach((token, index) => {
      if (token.type !== 'heading_open') return;
      const name = anchorOf(textOf(tokens[index + 1]?.children ?? []));
      const count = used.get(name) ?? 0;
      used.set(name, count + 1);
      token.attrSet('id', `user-content-${name}${count === 0 ? '' : `-${count}`}`);
    });
  });
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ''))
    .join('');
}

/** Keeps letters, digits, `_` and `-`, with a hyphen for each space. */
function anchorOf(text: string): string {
  const kept = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
    .replaceAll(/\s/g, '-');
  return kept === '' ? 'heading' : kept;
}
