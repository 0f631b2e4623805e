import { loadPackage } from '../../../../base/core/native/packages.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import { categoryOf, pathOf, plainStart, titleOf } from '../../names.ts';
import type { ImportedFile } from '../model.ts';
import type { ExportContext, ExportedNote } from './model.ts';

/** Category of notes that the user of an app has archived. */
export const ARCHIVE = 'Archive';

function titleIn({ title, text }: ExportedNote): string {
  return title.trim() === '' ? plainStart(text.trimStart()) : title;
}

/** Chooses the path of a note that other notes link to, so that it must not move. */
export function fixedPlaceOf({ places }: Pick<ExportContext, 'places'>, note: ExportedNote): string {
  return places.choose({ folder: categoryOf(note.category), title: titleIn(note), suffix: '.md' });
}

/**
 * Returns the path of a note, which moves if another note has it. So a later import of a longer export finds the notes that
 * are there.
 */
export function placeOf({ places }: Pick<ExportContext, 'places'>, note: ExportedNote): string {
  return pathOf(places.folder(categoryOf(note.category)), `${titleOf(titleIn(note), '.md')}.md`);
}

/** Creates the file of a note, at the path that was chosen for it. */
export function noteFile(
  { progress }: ExportContext,
  note: ExportedNote,
  { path, mayMove = true }: { path: string; mayMove?: boolean },
): ImportedFile {
  const head = frontMatterOf(note);
  if (head === '' && note.createdAt !== null) progress.creationTimes += 1;
  const content = Buffer.from(`${head}${note.text.replaceAll('\0', '')}`);
  return {
    name: note.name,
    path,
    sizeBytes: content.length,
    modifiedAt: note.modifiedAt ?? note.createdAt ?? currentTimeMs(),
    isFavorite: note.isFavorite,
    mayMove,
    read: async () => content,
  };
}

/**
 * Writes front matter for fields that a notebook lacks, as Joplin does. A note without tags and source has no front
 * matter.
 */
function frontMatterOf({ tags, source, createdAt }: ExportedNote): string {
  if (tags.length === 0 && source === undefined) return '';
  const fields = {
    ...(createdAt === null ? {} : { created: new Date(createdAt).toISOString() }),
    ...(source === undefined ? {} : { source }),
    ...(tags.length === 0 ? {} : { tags }),
  };
  return `---\n${loadPackage('yaml').stringify(fields)}---\n\n`;
}
