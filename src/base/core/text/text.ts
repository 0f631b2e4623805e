/** NUL, other control characters and unpaired surrogates. No name or line of text needs them. */
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

/**
 * Characters that people do not see, or that change the direction of the text around them, so that one name can look
 * like another. Exceptions: joiners between letters of some scripts and in emoji, but not after a letter of the Latin
 * script; and the tags of a flag, after the black flag.
 */
const UNSEEN =
  /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]|(?<!\p{M}|[\u0590-\u1fff\u2600-\u27bf]|[^\u0000-\uffff])[\u200c\u200d]|(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0000}-\u{e007f}]/u;
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');
/** Characters that control a terminal, or end a line. */
const CONTROLS = /[^\P{Cc}\t]|[\u2028\u2029]/gu;

/** Whether a name has characters that people do not see. New names that people read must not have any. */
export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

export function withoutUnseen(text: string): string {
  return text.replaceAll(ALL_UNSEEN, '');
}

/** Returns a text in which a reader sees each character: `\u{202e}` in place of the character itself. */
export function withVisibleCharacters(text: string): string {
  return text.replaceAll(ALL_UNSEEN, visible);
}

/**
 * Returns a line for a terminal, in which a reader also sees characters that would control the terminal. Keeps tabs,
 * because they separate columns.
 */
export function printable(line: string): string {
  return withVisibleCharacters(line.replaceAll(CONTROLS, visible));
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const SLASH = 0x2f;

/**
 * Returns `text` without the slashes at its end. A regular expression would take quadratic time for many slashes in the
 * middle of the text.
 */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === SLASH) end -= 1;
  return text.slice(0, end);
}

/** Returns `text` without the slashes at its start and its end. */
export function withoutOuterSlashes(text: string): string {
  return withoutEndSlashes(text).replace(/^\/+/, '');
}
