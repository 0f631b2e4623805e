/** Returns a text that others have written, cut to a length that pages have room for. */
export function beginningOf(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
