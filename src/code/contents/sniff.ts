/** How much of a file decides about its type. */
export const SNIFF_BYTES = 4100;
/** Media types that a browser may show, because none of them runs code. */
const SHOWN = /^(?:image\/(?!svg)|video\/|audio\/|application\/pdf$)/;
const PDF = Buffer.from('%PDF-');
/** Bytes that no text has in an encoding with one byte for ASCII characters. */
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/** Encodings of text without a mark. Those that switch with escape sequences are not among them. */
const ENCODINGS: ReadonlySet<string> = new Set([
  ...['big5', 'euc-jp', 'euc-kr', 'gb18030', 'koi8-r', 'shift_jis'],
  ...['2', '5', '6', '7', '8', '9'].map((part) => `iso-8859-${part}`),
  ...['1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257'].map((page) => `windows-${page}`),
]);
/** Used unless the text is surely in another encoding. It has a character for nearly every byte. */
export const UNDETECTED = 'windows-1252';

/**
 * Returns the media type of a file from its first bytes: text with its encoding, a type that browsers show, or plain
 * bytes.
 *
 * @param sizeBytes of the whole file
 */
export async function sniffType(start: Uint8Array, sizeBytes: number): Promise<string> {
  const head = start.subarray(0, SNIFF_BYTES);
  const unicode = unicodeOf(head, { isWhole: head.length === sizeBytes });
  // The sandbox of every response with a file keeps a picture from running scripts.
  if (unicode === 'utf-8' && isSvg(Buffer.from(head).toString('utf8'))) return 'image/svg+xml';
  // One without pictures or compression can be text from start to end.
  if (Buffer.from(head.subarray(0, PDF.length)).equals(PDF)) return 'application/pdf';
  if (unicode !== undefined) return `text/plain; charset=${unicode}`;
  // Both load on first use. A server that serves only Unicode text never loads them.
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(head);
  if (known !== undefined) return SHOWN.test(known.mime) ? known.mime : 'application/octet-stream';
  if (hasBinaryBytes(head)) return 'application/octet-stream';
  return `text/plain; charset=${await olderEncodingOf(head)}`;
}

/** What may precede the first element of a picture, with its end: declaration, comments and document type. */
const BEFORE_SVG: readonly (readonly [start: RegExp, end: string])[] = [
  [/^<\?xml/, '?>'],
  [/^<!--/, '-->'],
  [/^<!DOCTYPE\s+svg/i, '>'],
];

function isSvg(text: string): boolean {
  let rest = text.replace(/^\ufeff/, '').trimStart();
  for (;;) {
    const [, end] = BEFORE_SVG.find(([start]) => start.test(rest)) ?? [];
    if (end === undefined) return /^<svg[\s>/]/i.test(rest);
    const at = rest.indexOf(end);
    if (at === -1) return false;
    rest = rest.slice(at + end.length).trimStart();
  }
}

function unicodeOf(head: Uint8Array, { isWhole }: { isWhole: boolean }): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return isUtf8(head, { isWhole }) ? 'utf-8' : undefined;
}

function isUtf8(head: Uint8Array, { isWhole }: { isWhole: boolean }): boolean {
  if (head.includes(0)) return false;
  try {
    // `stream` accepts an incomplete last character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return true;
  } catch {
    return false;
  }
}

/** Whether bytes have one that no text has in an encoding with one byte for ASCII characters. */
export function hasBinaryBytes(bytes: Uint8Array): boolean {
  return BINARY.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));
}

/** Bytes beyond ASCII without which a guess at the encoding means nothing. */
const GUESSED_BYTES_MIN = 32;
/** Confidence, from 0 to 100, with which a guess counts alone. Valid text in an encoding with several bytes has 100. */
const SURE = 95;
/** Confidence with which a guess counts if it has twice that of the next one. */
const LIKELY = 30;

/**
 * Finds the encoding of a text that is not Unicode: windows-1252, unless the text is long enough and surely in another
 * one. A wrong guess would show letters as other letters, and the next save of a note would make them permanent.
 */
export async function olderEncodingOf(head: Uint8Array): Promise<string> {
  let beyondAscii = 0;
  for (const byte of head) if (byte > 0x7f) beyondAscii += 1;
  if (beyondAscii < GUESSED_BYTES_MIN) return UNDETECTED;
  const { default: chardet } = await import('chardet');
  const [best, next] = chardet.analyse(head);
  const name = best?.name.toLowerCase() ?? '';
  if (best === undefined || !ENCODINGS.has(name)) return UNDETECTED;
  const isClear = best.confidence >= LIKELY && best.confidence >= 2 * (next?.confidence ?? 0);
  return best.confidence >= SURE || isClear ? name : UNDETECTED;
}
