import type { MarkdownIt, Token } from 'markdown-it';

/** Gives footnotes the ids and the form that the reference has. */
export function renderFootnotesAsUserContent({ renderer }: MarkdownIt): void {
  renderer.rules.footnote_ref = (tokens, index) => {
    const { number, reference } = namesOf(tokens[index]);
    return `<sup id="fnref:${reference}"><a href="#fn:user-content-${number}">${number}</a></sup>`;
  };
  renderer.rules.footnote_block_open = () => '<div class="footnotes">\n<hr />\n<ol>\n';
  renderer.rules.footnote_block_close = () => '</ol>\n</div>\n';
  renderer.rules.footnote_open = (tokens, index) =>
    `<li id="fn:user-content-${namesOf(tokens[index]).number}">`;
  renderer.rules.footnote_close = () => '</li>\n';
  renderer.rules.footnote_anchor = (tokens, index) =>
    ` <a href="#fnref:${namesOf(tokens[index]).reference}">\u21a9\uFE0E</a>`;
}

function namesOf(token: Token | undefined): { number: number; reference: string } {
  // The plugin counts footnotes from 0, and the references of one footnote by `subId`.
  const { id = 0, subId = 0 } = (token?.meta ?? {}) as { id?: number; subId?: number };
  const number = id + 1;
  return { number, reference: `user-content-${number}${subId > 0 ? `:${subId}` : ''}` };
}
