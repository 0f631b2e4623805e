import type { Values } from '../../../../base/core/text/yaml.ts';
import { folderOf, nameOf, pathOf } from '../../names.ts';
import { linkTarget, relativePath } from '../links.ts';
import { NotTakenError } from '../model.ts';
import { leaveOut } from '../progress.ts';
import { listOf, readJson, textOf, timeOf } from './json.ts';
import type { ExportedNote, ExportFormat } from './model.ts';
import { fixedPlaceOf, noteFile, placeOf } from './note-file.ts';

const LINK = /simplenote:\/\/note\/([0-9a-z-]{1,64})/gi;

/** An export of Simplenote: `source/notes.json` with all notes, and text files, which repeat the notes. */
export const SIMPLENOTE: ExportFormat = {
  app: 'Simplenote',
  recognizes: (name, start) =>
    name.endsWith('.json') && /^\s*\{\s*"(?:activeNotes|trashedNotes)"\s*:/.test(start),
  root: (name) => folderOf(folderOf(name)),
  repeats: (name) => {
    const root = folderOf(folderOf(name));
    return nameOf(folderOf(name)) === 'source' ? { textsInFolders: [root, pathOf(root, 'trash')] } : {};
  },
  async *files(file, context) {
    const values = await readJson(file);
    if (!Array.isArray(values.activeNotes)) throw new NotTakenError('it has no list of notes');
    const notes = listOf(values, 'activeNotes').map((each) => ({
      id: textOf(each, 'id'),
      note: noteOf(each),
    }));
    const linked = new Set(notes.flatMap(({ note }) => [...note.text.matchAll(LINK)].map(([, id]) => id)));
    // The paths come first, because notes refer to each other.
    const placed = notes.map(({ id, note }) => {
      const mayMove = !linked.has(id);
      return { id, note, mayMove, path: (mayMove ? placeOf : fixedPlaceOf)(context, note) };
    });
    const paths = new Map(placed.map(({ id, path }) => [id, path]));
    for (const { note, path, mayMove } of placed) {
      const text = note.text.replaceAll(LINK, (link, id: string) => {
        const target = paths.get(id);
        return target === undefined ? link : linkTarget(relativePath(path, target));
      });
      yield noteFile(context, { ...note, text }, { path, mayMove });
    }
    leaveOut(context.progress, 'in the trash', listOf(values, 'trashedNotes').length);
  },
};

function noteOf(values: Values): ExportedNote {
  const text = textOf(values, 'content').replaceAll('\r\n', '\n');
  const [name = ''] = text.trimStart().split('\n', 1);
  return {
    name,
    title: '',
    category: '',
    text,
    modifiedAt: timeOf(values, 'lastModified'),
    createdAt: timeOf(values, 'creationDate'),
    tags: Array.isArray(values.tags)
      ? values.tags.filter((tag): tag is string => typeof tag === 'string')
      : [],
    isFavorite: values.pinned === true,
  };
}
