/** NUL, other controls and halves of surrogate pairs: nothing that a name or a line of text has a use for. */
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u;

/**
 * Whether `text` is one line that can be stored, put into a header of a commit and shown: no control characters
 * (PostgreSQL refuses NUL, and a line break in a name forges lines of a commit), and whole Unicode.
 */
export function isPlainLine(text: string): boolean {
  return !UNFIT.test(text);
}

/** Whether both databases can store `text` and give it back: PostgreSQL refuses NUL, and UTF-8 has no half pairs. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
