import { hash } from 'node:crypto';
import { LIMITS } from '../core/limits.ts';
import type { ObjectReader, Oid } from '../git/model.ts';
import type { NoteText } from './model.ts';

/** How many digits stand for a version on this interface. */
const VERSION_DIGITS = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** 32 hex digits that stand for `text`. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, VERSION_DIGITS);
}

/** The text of a note that was sent or read, as it is shown. */
export function noteText(content: string): NoteText {
  const shown = content.replace(/^\ufeff+/, '');
  return { content: shown, contentHash: shortHash(shown), problem: null };
}

/** A file that is no text, or too long to be one, is told of instead of left out: a list names every note. */
export async function readNoteText(objects: ObjectReader, oid: Oid): Promise<NoteText> {
  const info = await objects.info(oid);
  if (info !== undefined && info.sizeBytes > LIMITS.noteBytesMax) return unshown(oid, 'too-large');
  return decodeNoteText(oid, await objects.readBlob(oid, { blobBytesMax: LIMITS.noteBytesMax }));
}

function decodeNoteText(oid: Oid, bytes: Uint8Array): NoteText {
  try {
    // PostgreSQL keeps no NUL in text, and what holds one is hardly meant to be read.
    return bytes.includes(0) ? unshown(oid, 'not-text') : noteText(utf8.decode(bytes));
  } catch {
    return unshown(oid, 'not-text');
  }
}

function unshown(oid: Oid, problem: 'not-text' | 'too-large'): NoteText {
  return { content: null, contentHash: shortHash(`${problem} ${oid}`), problem };
}
