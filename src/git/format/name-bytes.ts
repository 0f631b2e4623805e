import { isUtf8 } from 'node:buffer';

// git stores names as bytes, and the product handles them as text. A name that is not UTF-8 has a text, too: that in which
// git prints it (git-config(1), core.quotePath), such as `"caf\351.txt"`. So that each name has a text of its own, a name
// that looks like such a text is written in the same way.

const REPLACEMENT = '\ufffd';
const ESCAPE = /\\(?:(["\\])|([0-7]{3}))/g;
const CONTROL = /[\u0000-\u001f\u007f]/;
const UTF8_BYTES_MAX = 4;
/** A longer name has no address, and quoting it would take long: git accepts names of megabytes. */
const QUOTED_BYTES_MAX = 4096;

/**
 * Returns the text of a name, which is a part of `bytes`: a tree has many names, and few need a look at their bytes. Of a
 * very long name that is not UTF-8, the text has U+FFFD in place of bytes, and stands for no name.
 */
export function nameOfBytes(bytes: Buffer, start = 0, end: number = bytes.length): string {
  const text = bytes.toString('utf8', start, end);
  if (end - start > QUOTED_BYTES_MAX) return text;
  // Only a name with this character may have bytes that are not UTF-8.
  const isText = !text.includes(REPLACEMENT) || isUtf8(bytes.subarray(start, end));
  return isText && !isQuoted(text) ? text : quote(bytes.subarray(start, end));
}

/** Returns the bytes of a name, from its text. */
export function bytesOfName(name: string): Buffer {
  return quotedBytes(name) ?? Buffer.from(name);
}

/** Whether a text of a name is not the name itself, because git would quote it. */
export function isQuoted(name: string): boolean {
  return quotedBytes(name) !== undefined;
}

/** Returns the text of a path: the texts of its names. */
export function pathOfBytes(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes(REPLACEMENT) && !text.includes('"')) return text;
  return bytes
    .toString('latin1')
    .split('/')
    .map((name) => nameOfBytes(Buffer.from(name, 'latin1')))
    .join('/');
}

/** Returns the bytes of a path, from its text. */
export function bytesOfPath(path: string): Buffer {
  if (!path.includes('"')) return Buffer.from(path);
  const names = path.split('/').map((name) => bytesOfName(name).toString('latin1'));
  return Buffer.from(names.join('/'), 'latin1');
}

/** Returns the text of a path for patterns and endings of names, with U+FFFD in place of bytes that are not UTF-8. */
export function textOfPath(path: string): string {
  return path.includes('"') ? bytesOfPath(path).toString() : path;
}

/** Whether a path has a quoted name. */
export function isQuotedPath(path: string): boolean {
  return path.includes('"') && path.split('/').some(isQuoted);
}

/** Returns the bytes for which a quoted name stands; undefined for a name that stands for itself. */
function quotedBytes(name: string): Buffer | undefined {
  if (!name.startsWith('"') || !name.endsWith('"') || !name.includes('\\')) return undefined;
  // Characters stand for bytes.
  const latin1 = Buffer.from(name.slice(1, -1)).toString('latin1');
  const bytes = Buffer.from(
    latin1.replaceAll(ESCAPE, (_, sign: string | undefined, octal: string) =>
      sign === undefined ? String.fromCharCode(Number.parseInt(octal, 8)) : sign,
    ),
    'latin1',
  );
  const needsQuotes = !isUtf8(bytes) || isQuoted(bytes.toString());
  return needsQuotes && quote(bytes) === name ? bytes : undefined;
}

function quote(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    if (character === undefined) text += `\\${(bytes[at] ?? 0).toString(8).padStart(3, '0')}`;
    else text += /["\\]/.test(character) ? `\\${character}` : character;
    at += character === undefined ? 1 : Buffer.byteLength(character);
  }
  return `"${text}"`;
}

/** Returns the character at a place; undefined for a byte that is a part of none, or that controls. */
function characterAt(bytes: Buffer, at: number): string | undefined {
  for (let length = 1; length <= UTF8_BYTES_MAX && at + length <= bytes.length; length += 1) {
    const piece = bytes.subarray(at, at + length);
    if (isUtf8(piece)) return CONTROL.test(piece.toString()) ? undefined : piece.toString();
  }
  return undefined;
}
