/** NUL, other control characters and unpaired surrogates, which no name or line of text needs. */
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u;

/**
 * Whether `text` is one line that can be stored, written into a commit header and shown. It must be valid Unicode
 * without control characters: PostgreSQL rejects NUL, and a line break in a name forges commit headers.
 */
export function isPlainLine(text: string): boolean {
  return !UNFIT.test(text);
}

/** Whether both databases can store `text`: PostgreSQL rejects NUL, and UTF-8 cannot encode unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Returns `text` as one line that can be stored and shown. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
