import { hash } from 'node:crypto';
import type { Oid } from '../../../git/format/model.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { NoteText } from '../model.ts';
import { decodeText } from './encodings.ts';

/** Number of digits of a version in this API. */
const VERSION_DIGITS = 32;

/** Returns a hash of `text`: 32 hex digits. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, VERSION_DIGITS);
}

const BYTE_ORDER_MARK = 0xfeff;

/** Returns the text of a note, as shown. */
export function noteText(content: string): NoteText {
  const shown = withoutMarks(content);
  return { content: shown, contentHash: shortHash(shown), problem: null };
}

/** As `replace(/^\ufeff+/, '')`, which can need stack for each mark. */
function withoutMarks(content: string): string {
  let start = 0;
  while (content.charCodeAt(start) === BYTE_ORDER_MARK) start += 1;
  return content.slice(start);
}

/** Reads the text of a note. Replaces a binary or too large file with a notice, because a list must name every note. */
export async function readNoteText(objects: ObjectReader, oid: Oid): Promise<NoteText> {
  const info = await objects.info(oid);
  if (info !== undefined && info.sizeBytes > NOTE_LIMITS.noteBytesMax) return unshown(oid, 'too-large');
  return textOfBytes(oid, await objects.readBlob(oid, { blobBytesMax: NOTE_LIMITS.noteBytesMax }));
}

/** As `readNoteText`, for a note with these bytes. */
export async function textOfBytes(oid: Oid, bytes: Uint8Array): Promise<NoteText> {
  if (bytes.length > NOTE_LIMITS.noteBytesMax) return unshown(oid, 'too-large');
  const text = await decodeText(bytes);
  return text === undefined ? unshown(oid, 'not-text') : noteText(text);
}

function unshown(oid: Oid, problem: 'not-text' | 'too-large'): NoteText {
  return { content: null, contentHash: shortHash(`${problem} ${oid}`), problem };
}
