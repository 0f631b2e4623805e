import { ForgeError, forbidden } from '../../../base/core/failure.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { Note, NoteEdit } from '../model.ts';
import { categoryOf, suffixOf, titleOf } from '../names.ts';
import { noteText } from '../text/text.ts';

/** The fields of a note that an edit really changes; undefined: unchanged. */
export interface NoteChange {
  /** as the client sent it */
  readonly content: string | undefined;
  /** the new title and category, before a free name is found there */
  readonly move: { readonly title: string; readonly category: string } | undefined;
  readonly modifiedAt: number | undefined;
  readonly isFavorite: boolean | undefined;
}

/**
 * Returns the fields in which `edit` differs from the current note. An edit of an older version has already been merged
 * by `merge.ts`.
 *
 * @throws ForgeError `forbidden` for any change of a read-only note except its favorite; `invalid`, `too_large`
 */
export function changeOf(note: Note, edit: NoteEdit): NoteChange {
  const content = edit.content === undefined ? undefined : storable(edit.content);
  const change = {
    content: content !== undefined && noteText(content).content !== note.content ? content : undefined,
    move: moveOf(note, edit),
    modifiedAt: edit.modifiedAt,
    isFavorite: edit.isFavorite === note.isFavorite ? undefined : edit.isFavorite,
  };
  // A new text has the time that the client sent for it, even if the old text had the same time.
  const keepsTime = change.content === undefined && !isDifferentTime(note, edit.modifiedAt);
  const effective: NoteChange = keepsTime ? { ...change, modifiedAt: undefined } : change;
  if (note.isReadOnly && changesFile(effective)) throw forbidden('this note is read-only');
  return effective;
}

function changesFile({ content, move, modifiedAt }: NoteChange): boolean {
  return content !== undefined || move !== undefined || modifiedAt !== undefined;
}

function moveOf(note: Note, edit: NoteEdit): NoteChange['move'] {
  const title =
    edit.title === undefined || edit.title === note.title ? note.title : titleFor(note, edit.title);
  const isSameFolder = edit.category === undefined || edit.category === note.category;
  const category = isSameFolder ? note.category : categoryOf(edit.category);
  return title === note.title && category === note.category ? undefined : { title, category };
}

function titleFor(note: Note, title: string): string {
  return titleOf(title, suffixOf(note.path));
}

function isDifferentTime(note: Note, modifiedAt: number | undefined): boolean {
  return modifiedAt !== undefined && Math.floor(modifiedAt / 1000) !== Math.floor(note.modifiedAt / 1000);
}

/**
 * Returns the content in the form in which it can be stored and read back.
 *
 * @throws ForgeError `too_large`
 */
export function storable(content: string): string {
  // A file with a NUL would be read back as binary. Apps would send a rejected note again and again, so it is stored
  // without the NUL.
  const whole = content.toWellFormed().replaceAll('\0', '');
  if (Buffer.byteLength(whole) <= NOTE_LIMITS.noteBytesMax) return whole;
  throw new ForgeError({
    kind: 'too_large',
    what: `a note holds at most ${NOTE_LIMITS.noteBytesMax} bytes`,
  });
}
