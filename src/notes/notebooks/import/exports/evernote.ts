import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { categoryOf, folderOf, nameOf, pathOf, titleOf } from '../../names.ts';
import { linkTarget, relativePath } from '../links.ts';
import { type ImportedFile, NotTakenError, type SourceFile } from '../model.ts';
import { notTake, reportPartial } from '../progress.ts';
import { type EnexNote, type EnexResource, readEnex } from './enex-reader.ts';
import { enmlToHtml } from './enml.ts';
import { htmlToMarkdown } from './html.ts';
import type { ExportContext, ExportedNote, ExportFormat } from './model.ts';
import { noteFile, placeOf } from './note-file.ts';

/** Extensions of files in notes that have no name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/svg+xml': '.svg',
  'audio/mpeg': '.mp3',
  'audio/x-m4a': '.m4a',
  'text/plain': '.txt',
};
/** Hex digits of the hash of a file that become part of its name, because many files are called image.png. */
const HASH_DIGITS = 8;

/** An export of Evernote: one ENEX file for each notebook, which contains the files of its notes. */
export const EVERNOTE: ExportFormat = {
  app: 'Evernote',
  recognizes: (name) => /\.enex$/i.test(name),
  root: () => undefined,
  repeats: () => ({}),
  async *files(file, context) {
    for await (const note of readEnex(file)) yield* filesOfNote(file, note, context);
  },
};

/** Yields the files of a note, and then the note. */
async function* filesOfNote(
  file: SourceFile,
  note: EnexNote,
  context: ExportContext,
): AsyncGenerator<ImportedFile, void> {
  const { progress } = context;
  const notebook = pathOf(folderOf(file.name), nameOf(file.name).replace(/\.enex$/i, ''));
  const category = context.places.folder(categoryOf(notebook));
  const name = `${file.name}: ${note.title === '' ? 'a note without a title' : note.title}`;
  if (note.isTooLarge) {
    notTake(progress, { name, why: 'it is too large' });
    return;
  }
  const attached = new Map(
    note.resources.map((resource) => {
      const hash = createHash('md5').update(resource.content).digest('hex');
      return [
        hash,
        { ...resource, path: context.places.once(attachmentPath(category, hash, resource)) },
      ] as const;
    }),
  );
  try {
    const exported = await exportedNote(name, note, { category, attached });
    for (const why of exported.lost) reportPartial(progress, { name, why });
    for (const { path, content } of attached.values())
      yield {
        name: `${name}: ${nameOf(path)}`,
        path,
        sizeBytes: content.length,
        modifiedAt: exported.note.modifiedAt ?? file.modifiedAt,
        read: async () => content,
      };
    yield noteFile(context, exported.note, { path: placeOf(context, exported.note) });
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    notTake(progress, { name, why: error.message });
  }
}

type Attached = ReadonlyMap<string, EnexResource & { readonly path: string }>;

/** @throws NotTakenError */
async function exportedNote(
  name: string,
  note: EnexNote,
  { category, attached }: { category: string; attached: Attached },
): Promise<{ note: ExportedNote; lost: readonly string[] }> {
  const lost = new Set<string>(note.hasReminder ? ['its reminder is not taken'] : []);
  const inNote = new Set<string>();
  const { html, isPartEncrypted } = enmlToHtml(note.content, (hash) => {
    const found = attached.get(hash);
    if (found === undefined) lost.add('a file in it is missing');
    inNote.add(hash);
    return mediaOf(found);
  });
  if (isPartEncrypted) lost.add('a part is encrypted, and not taken: decrypt it and export it again');
  const rest = [...attached].filter(([hash]) => !inNote.has(hash));
  const links = rest.map(([, { path }]) => `[${nameOf(path)}](${linkTarget(nameOf(path))})\n`);
  const tasks = note.tasks.map(({ title, isDone }) => `- [${isDone ? 'x' : ' '}] ${title}\n`).join('');
  const text = [await htmlToMarkdown(html), tasks].filter((part) => part !== '').join('\n');
  return {
    lost: [...lost],
    note: {
      name,
      title: note.title,
      category,
      text: [text, ...links].join(links.length === 0 ? '' : '\n'),
      modifiedAt: timeOf(note.updated),
      createdAt: timeOf(note.created),
      tags: note.tags,
      ...(note.source === '' ? {} : { source: note.source }),
      isFavorite: false,
    },
  };
}

function mediaOf(found: (EnexResource & { readonly path: string }) | undefined) {
  if (found === undefined) return { target: undefined, name: '', isPicture: false };
  const { path, mediaType, fileName } = found;
  return {
    target: linkTarget(relativePath(path, path)),
    name: fileName === '' ? nameOf(path) : fileName,
    isPicture: mediaType.startsWith('image/'),
  };
}

function attachmentPath(category: string, hash: string, { fileName, mediaType }: EnexResource): string {
  const [, subtype = ''] = /^[a-z]+\/([a-z0-9]+)$/.exec(mediaType) ?? [];
  const own = extname(fileName);
  const extension = own !== '' ? own : (EXTENSIONS[mediaType] ?? (subtype === '' ? '' : `.${subtype}`));
  const stem = fileName.slice(0, fileName.length - own.length);
  const suffix = `-${hash.slice(0, HASH_DIGITS)}${titleOf(extension.toLowerCase(), '').replace(/^(?!\.)/, '.')}`;
  return pathOf(category, `${titleOf(stem === '' ? 'file' : stem, suffix)}${suffix}`);
}

/** Reads a time such as 20200131T101500Z, ms; null for any other text. */
function timeOf(text: string): number | null {
  const ms = Date.parse(
    text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  return ms > 0 ? ms : null;
}
