import { hasBinaryBytes, olderEncodingOf, SNIFF_BYTES, UNDETECTED } from '../../../code/contents/sniff.ts';

/** Marks at the start of a text in an encoding with two bytes for most characters. */
const MARKS = [
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
] as const;
/** Bytes before the first byte that is not ASCII that help to find the encoding of a file. */
const CONTEXT_BYTES = 500;

/**
 * Decodes a file as text: UTF-8, UTF-16 with its mark, or an older encoding that its bytes suggest. When the text is
 * saved, the file becomes UTF-8.
 *
 * @returns the text with its byte-order mark; undefined for bytes that are not text
 */
export async function decodeText(bytes: Uint8Array): Promise<string | undefined> {
  const [marked] = MARKS.find(([, first, second]) => bytes[0] === first && bytes[1] === second) ?? [];
  const text =
    marked === undefined ? (decode('utf-8', bytes) ?? (await decodeOlder(bytes))) : decode(marked, bytes);
  // PostgreSQL cannot store NUL in text, and files with NUL are rarely text.
  return text?.includes('\0') === true ? undefined : text;
}

async function decodeOlder(bytes: Uint8Array): Promise<string | undefined> {
  if (hasBinaryBytes(bytes)) return undefined;
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const from = Math.max(0, first - CONTEXT_BYTES);
  const encoding = await olderEncodingOf(bytes.subarray(from, from + SNIFF_BYTES));
  return decode(encoding, bytes) ?? decode(UNDETECTED, bytes);
}

function decode(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
