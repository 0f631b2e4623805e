import type { DeletedNote } from '../model.ts';
import { PROBLEMS } from '../present.ts';
import { seconds } from '../versions.ts';
import type { NoteVersionEntry, NoteVersionText } from './model.ts';

export function presentVersion(version: NoteVersionEntry) {
  const { commit, time, author, title, category, sizeBytes, changes } = version;
  return { version: commit, time, author, title, category, size: sizeBytes, changes };
}

export function presentVersionText(version: NoteVersionText) {
  const { problem, content } = version;
  return {
    ...presentVersion(version),
    content: problem === null ? content : PROBLEMS[problem],
    error: problem !== null,
    errorType: problem === null ? '' : 'Exception',
  };
}

export function presentDeleted({ id, title, category, modifiedAt, deletedAt }: DeletedNote) {
  return { id, title, category, modified: seconds(modifiedAt), deleted: seconds(deletedAt) };
}
