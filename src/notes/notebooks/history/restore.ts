import type { SignedIn } from '../../../api/access/viewer.ts';
import { forbidden } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { DeletedNote } from '../model.ts';
import { notePathOf, suffixOf } from '../names.ts';
import { forgetDeletedAt, setNote } from '../store/notes.ts';
import { readNoteText } from '../text/text.ts';
import { freePath, writingOf } from '../writing/changes.ts';
import type { NotebookChange, NotebookVersion } from '../writing/save.ts';

/** A deleted note, and the version to restore. */
interface Return {
  readonly note: DeletedNote;
  readonly oid: string;
  readonly title: string;
  readonly category: string;
}

/**
 * Restores a deleted note, with its id.
 *
 * @throws ForgeError `forbidden`, `too_large`
 */
export async function returnNote<T>(
  viewer: SignedIn,
  version: NotebookVersion,
  { note, oid, title, category }: Return,
  result: T,
): Promise<NotebookChange<T>> {
  const { open, source } = version;
  if (!open.isWritable) throw forbidden('this notebook is read-only');
  const path = await freePath(version, { title, category, suffix: suffixOf(note.path) });
  const content = await source.objects.readBlob(oid, { blobBytesMax: NOTE_LIMITS.noteBytesMax });
  const text = await readNoteText(source.objects, oid);
  const { modifiedAt } = note;
  return {
    commit: { message: `Restore ${path}`, edits: [{ from: null, to: path, content }] },
    rows: async (tx) => {
      if (path !== note.path) await forgetDeletedAt(tx, open.notebook.id, [path]);
      const times = { modifiedAt, lastUpdateAt: currentTimeMs() };
      await setNote(tx, note.id, {
        ...notePathOf(path),
        ...text,
        oid,
        ...times,
        ...writingOf(viewer, version),
      });
    },
    result,
  };
}
