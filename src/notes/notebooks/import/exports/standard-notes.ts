import { isValues, type Values } from '../../../../base/core/text/yaml.ts';
import { folderOf, pathOf } from '../../names.ts';
import { NotTakenError } from '../model.ts';
import { leaveOut, notTake, reportPartial } from '../progress.ts';
import { htmlToMarkdown } from './html.ts';
import { listOf, objectOf, readJson, textOf, timeOf } from './json.ts';
import { superToMarkdown } from './lexical.ts';
import type { ExportContext, ExportedNote, ExportFormat } from './model.ts';
import { ARCHIVE, noteFile, placeOf } from './note-file.ts';

/** Limits nested tags, because a tag could contain itself. */
const TAG_DEPTH_MAX = 20;

/** A decrypted backup of Standard Notes: a file with all notes and tags, and a folder that repeats the notes. */
export const STANDARD_NOTES: ExportFormat = {
  app: 'Standard Notes',
  recognizes: (name, start) =>
    /\.(?:txt|json)$/.test(name) &&
    /^\s*\{\s*"(?:version|items)"\s*:/.test(start) &&
    /"items"\s*:\s*\[\s*\{/.test(start) &&
    /"(?:uuid|content_type)"\s*:/.test(start),
  root: folderOf,
  repeats: (name) => ({ belowFolders: [pathOf(folderOf(name), 'Items')] }),
  async *files(file, context) {
    const items = listOf(await readJson(file), 'items');
    if (!items.some(({ content_type }) => typeof content_type === 'string'))
      throw new NotTakenError('it has no notes');
    const tags = tagsOf(items);
    for (const item of items) {
      if (item.content_type !== 'Note' || item.deleted === true) continue;
      const note = await readNote(item, tags, context);
      if (note !== undefined) yield noteFile(context, note, { path: placeOf(context, note) });
    }
  },
};

/** @returns undefined if the note is not imported; the report then says why */
async function readNote(
  item: Values,
  tags: ReadonlyMap<string, readonly string[]>,
  { progress }: ExportContext,
): Promise<ExportedNote | undefined> {
  const uuid = textOf(item, 'uuid');
  const { content } = item;
  if (!isValues(content)) {
    notTake(progress, { name: `note ${uuid}`, why: 'it is encrypted: export a decrypted backup' });
    return undefined;
  }
  if (content.trashed === true) {
    leaveOut(progress, 'in the trash');
    return undefined;
  }
  const title = textOf(content, 'title');
  const name = title === '' ? `note ${uuid}` : title;
  const state = objectOf(objectOf(content, 'appData'), 'org.standardnotes.sn');
  try {
    const { text, lost } = await textOfNote(content);
    for (const why of lost) reportPartial(progress, { name, why });
    return {
      name,
      title,
      category: state.archived === true ? ARCHIVE : '',
      text,
      modifiedAt: timeOf(state, 'client_updated_at') ?? timeOf(item, 'updated_at'),
      createdAt: timeOf(item, 'created_at'),
      tags: tags.get(uuid) ?? [],
      isFavorite: state.pinned === true || content.starred === true,
    };
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    notTake(progress, { name, why: error.message });
    return undefined;
  }
}

/** Returns the text of a note in Markdown, and names the content that is lost. */
async function textOfNote(content: Values): Promise<{ text: string; lost: readonly string[] }> {
  const text = textOf(content, 'text');
  if (content.noteType === 'super') return superToMarkdown(text);
  return { text: content.noteType === 'rich-text' ? await htmlToMarkdown(text) : text, lost: [] };
}

/** Returns the tags of each note, by its uuid. A tag inside another tag is written as `outer/inner`. */
function tagsOf(items: readonly Values[]): ReadonlyMap<string, readonly string[]> {
  const contents = new Map(
    items.flatMap((item) =>
      item.content_type === 'Tag' && isValues(item.content)
        ? [[textOf(item, 'uuid'), item.content] as const]
        : [],
    ),
  );
  const pathOf = (uuid: string, depth: number): string => {
    const content = contents.get(uuid);
    if (content === undefined || depth > TAG_DEPTH_MAX) return '';
    const parent = listOf(content, 'references').find((each) => each.reference_type === 'TagToParentTag');
    const before = parent === undefined ? '' : pathOf(textOf(parent, 'uuid'), depth + 1);
    return before === '' ? textOf(content, 'title') : `${before}/${textOf(content, 'title')}`;
  };
  const tags = new Map<string, string[]>();
  for (const [uuid, content] of contents) {
    const path = pathOf(uuid, 0);
    for (const reference of listOf(content, 'references')) {
      if (reference.content_type !== 'Note' || path === '') continue;
      const note = textOf(reference, 'uuid');
      tags.set(note, [...(tags.get(note) ?? []), path]);
    }
  }
  return tags;
}
