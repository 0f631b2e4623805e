const TAG = /<span class="[^"]*">|<\/span>/g;

/**
 * Splits HTML with nested elements `span` into lines, each of which opens and closes its own elements.
 *
 * @param html as highlight.js writes it
 */
export function linesOf(html: string): readonly string[] {
  let open: string[] = [];
  return html.split('\n').map((line) => {
    const before = open.join('');
    for (const [tag] of line.matchAll(TAG)) open = tag === '</span>' ? open.slice(0, -1) : [...open, tag];
    return `${before}${line}${'</span>'.repeat(open.length)}`;
  });
}
