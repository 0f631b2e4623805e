import { ForgeError, forbidden, invalid } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Note, NoteEdit } from './model.ts';
import { categoryOf, suffixOf, titleOf } from './names.ts';
import { noteText } from './text.ts';

/** What an edit really changes in a note; undefined is as it was. */
export interface NoteChange {
  /** as it was sent, to be stored */
  readonly content: string | undefined;
  /** where it belongs now, before it is made sure that the name is free */
  readonly move: { readonly title: string; readonly category: string } | undefined;
  readonly modifiedAt: number | undefined;
  readonly isFavorite: boolean | undefined;
}

/**
 * What of `edit` differs from the note as it is now.
 *
 * An edit that was made on an older version is taken as it is: the version it replaces stays in the history. Whatever is
 * to be merged from that version belongs here, where both are known and nothing is written yet.
 *
 * @throws ForgeError `forbidden` for anything but the mark of a read-only note; `invalid`, `too_large`
 */
export function changeOf(note: Note, edit: NoteEdit): NoteChange {
  const content = edit.content === undefined ? undefined : storable(edit.content);
  const change = {
    content: content !== undefined && noteText(content).content !== note.content ? content : undefined,
    move: moveOf(note, edit),
    modifiedAt: edit.modifiedAt,
    isFavorite: edit.isFavorite === note.isFavorite ? undefined : edit.isFavorite,
  };
  // A text that is written now has the time that was sent for it, also where that is the one of the text before.
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
  const category = edit.category === undefined ? note.category : categoryOf(edit.category);
  return title === note.title && category === note.category ? undefined : { title, category };
}

function titleFor(note: Note, title: string): string {
  return titleOf(title, suffixOf(note.path));
}

function isDifferentTime(note: Note, modifiedAt: number | undefined): boolean {
  return modifiedAt !== undefined && Math.floor(modifiedAt / 1000) !== Math.floor(note.modifiedAt / 1000);
}

/**
 * A content as it can be stored and read back.
 *
 * @throws ForgeError `invalid`, `too_large`
 */
export function storable(content: string): string {
  const whole = content.toWellFormed();
  // A file with one would come back as something that is no text.
  if (whole.includes('\0')) throw invalid('a note cannot hold a NUL character');
  if (Buffer.byteLength(whole) <= LIMITS.noteBytesMax) return whole;
  throw new ForgeError({
    kind: 'too_large',
    what: `a note holds at most ${LIMITS.noteBytesMax} bytes`,
  });
}
