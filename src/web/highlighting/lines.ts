const TAG = /<span class="[^"]*">|<\/span>/g;

/**
 * Splits HTML with nested elements `span` into lines, each of which opens and closes its own elements.
 *
 * @param html as highlight.js writes it
 * @param charsMax of all lines together; undefined is returned beyond, because deep elements are repeated on each line
 */
export function linesOf(html: string, charsMax: number): readonly string[] | undefined {
  const open: string[] = [];
  const lines: string[] = [];
  let chars = 0;
  for (const line of html.split('\n')) {
    const before = open.join('');
    for (const [tag] of line.matchAll(TAG)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    const whole = `${before}${line}${'</span>'.repeat(open.length)}`;
    chars += whole.length;
    if (chars > charsMax) return undefined;
    lines.push(whole);
  }
  return lines;
}
