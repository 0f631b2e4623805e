import type { Values } from '../../../../base/core/text/yaml.ts';
import { folderOf, nameOf, pathOf } from '../../names.ts';
import { isLocalTarget, linkTarget, relativePath } from '../links.ts';
import type { ImportedFile, SourceFile } from '../model.ts';
import { leaveOut, reportPartial } from '../progress.ts';
import { listOf, readJson, textOf } from './json.ts';
import type { ExportContext, ExportedNote, ExportFormat } from './model.ts';
import { ARCHIVE, noteFile, placeOf } from './note-file.ts';

/** Names of fields that only a note of Google Keep has. */
const KEEP_FIELDS = /^\s*\{(?=[\s\S]*"color"\s*:)(?=[\s\S]*"isTrashed"\s*:)/;
/** Google Takeout and the folder on the disk do not always agree on the extension of a picture. */
const EXTENSIONS = ['', '.jpg', '.jpeg', '.png', '.gif', '.webp', '.3gp', '.m4a', '.amr'];

/** An export of Google Keep by Google Takeout: for each note a JSON file, an HTML page and its pictures. */
export const KEEP: ExportFormat = {
  app: 'Google Keep',
  recognizes: (name, start) => name.endsWith('.json') && KEEP_FIELDS.test(start),
  root: folderOf,
  repeats: (name) => ({ files: [name.replace(/json$/, 'html'), pathOf(folderOf(name), 'Labels.txt')] }),
  async *files(file, context) {
    const values = await readJson(file);
    if (values.isTrashed === true) leaveOut(context.progress, 'in the trash');
    else yield keepNote(file, values, context);
  },
};

function keepNote(file: SourceFile, values: Values, context: ExportContext): ImportedFile {
  const note: ExportedNote = {
    name: file.name,
    title: textOf(values, 'title'),
    category: values.isArchived === true ? ARCHIVE : '',
    text: [textOf(values, 'textContent'), checklistOf(values)].filter((part) => part !== '').join('\n\n'),
    modifiedAt: microsecondsOf(values, 'userEditedTimestampUsec'),
    createdAt: microsecondsOf(values, 'createdTimestampUsec'),
    tags: listOf(values, 'labels')
      .map((label) => textOf(label, 'name'))
      .filter((name) => name !== ''),
    isFavorite: values.isPinned === true,
  };
  const path = placeOf(context, note);
  const parts = [note.text, linksOf(values, note.text), attachmentsOf(file, values, context, path)];
  return noteFile(context, { ...note, text: parts.filter((part) => part !== '').join('\n\n') }, { path });
}

function checklistOf(values: Values): string {
  return listOf(values, 'listContent')
    .map((item) => `- [${item.isChecked === true ? 'x' : ' '}] ${textOf(item, 'text')}`)
    .join('\n');
}

/** Returns links to the web pages of a note that its text does not name. */
function linksOf(values: Values, text: string): string {
  return listOf(values, 'annotations')
    .map((link) => ({ url: textOf(link, 'url'), title: textOf(link, 'title') }))
    .filter(({ url }) => url !== '' && !text.includes(url))
    .map(({ url, title }) => (title === '' ? `<${url}>` : `[${title.replaceAll(/[[\]\n]/g, ' ')}](<${url}>)`))
    .join('\n');
}

function attachmentsOf(file: SourceFile, values: Values, context: ExportContext, notePath: string): string {
  return listOf(values, 'attachments')
    .flatMap((attachment) => {
      const named = textOf(attachment, 'filePath');
      const path = attachmentPath(file.name, named, context);
      if (path === undefined) {
        reportPartial(context.progress, { name: file.name, why: `its attachment ${named} is missing` });
        return [];
      }
      const isPicture = textOf(attachment, 'mimetype').startsWith('image/');
      return [`${isPicture ? '!' : ''}[${nameOf(path)}](${linkTarget(relativePath(notePath, path))})`];
    })
    .join('\n');
}

function attachmentPath(noteName: string, named: string, context: ExportContext): string | undefined {
  if (!isLocalTarget(named)) return undefined;
  const folder = folderOf(noteName);
  const stem = named.replace(/\.[^./]*$/, '');
  for (const candidate of [named, ...EXTENSIONS.map((extension) => `${stem}${extension}`)]) {
    const path = context.pathOf(pathOf(folder, candidate));
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Reads a time in microseconds, as ms; null if it is absent. */
function microsecondsOf(values: Values, key: string): number | null {
  const value = values[key];
  return typeof value === 'number' && value > 0 ? Math.trunc(value / 1000) : null;
}
