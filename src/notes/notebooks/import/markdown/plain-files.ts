import { NOTE_LIMITS } from '../../limits.ts';
import { categoryOf, folderOf, isNoteName, nameOf, pathOf, stemOf, suffixOf } from '../../names.ts';
import { decodeText } from '../../text/encodings.ts';
import type { ImportedFile, ImportProgress, SourceFile } from '../model.ts';
import type { Places } from '../places.ts';
import { reportPartial } from '../progress.ts';
import { readStart, readWhole } from '../read-file.ts';
import { LinkedFiles, type PlacedName } from './files.ts';
import { headOf, logseqTitle, type NoteHead } from './head.ts';
import { rewriteLinks } from './rewrite.ts';

/** The kind of a folder of text files: plain, or written by one of these apps. */
export type FolderKind = 'plain' | 'obsidian' | 'logseq';

/** A file that is imported unchanged, except for the links in a note. */
interface PlainFile extends PlacedName {
  readonly file: SourceFile;
  readonly head: NoteHead;
}

/**
 * Chooses the paths of files. If the text of a note has another title, the note is named by it, unless another file of
 * the import has that name.
 *
 * @param to.nameOf returns the path of a file in the notebook, if it keeps its name
 */
export async function placePlainFiles(
  files: readonly SourceFile[],
  to: { readonly kind: FolderKind; readonly places: Places; nameOf(file: SourceFile): string },
): Promise<readonly PlainFile[]> {
  const found = [];
  for (const file of files) {
    const name = to.nameOf(file);
    const head = isNoteName(nameOf(name), []) ? await readHead(file, to.kind) : {};
    // A file that loses the folder around it may meet another one.
    const hasTitle = head.title !== undefined && head.title !== stemOf(name);
    const isRenamed = hasTitle || (name !== file.name && to.places.has(name));
    // Reserves the names of files that keep them first, so that no title takes such a name.
    if (!isRenamed) to.places.reserve(name);
    found.push({ file, name, head, isRenamed });
  }
  return found.map(({ file, name, head, isRenamed }) => {
    const path = isRenamed ? placeByTitle(name, head.title ?? stemOf(name), to) : name;
    return { file, head, name: file.name, path };
  });
}

/** In Logseq, a title contains the folders. */
function placeByTitle(
  name: string,
  title: string,
  { kind, places }: { readonly kind: FolderKind; readonly places: Places },
): string {
  const suffix = suffixOf(name);
  if (kind !== 'logseq') return places.choose({ folder: folderOf(name), title, suffix });
  const inFolder = categoryOf(folderOf(title));
  const folder = inFolder === '' ? folderOf(name) : pathOf(folderOf(name), inFolder);
  return places.choose({ folder, title: nameOf(title), suffix });
}

async function readHead(file: SourceFile, kind: FolderKind): Promise<NoteHead> {
  const start = (await readStart(file, NOTE_LIMITS.importStartBytesMax)).toString();
  const head = headOf(start);
  if (kind === 'plain') return head;
  // In Obsidian, the name of the file is the title.
  const { title: _, ...others } = head;
  if (kind === 'obsidian' || !file.name.startsWith('pages/')) return others;
  return { ...others, title: logseqTitle(start, stemOf(file.name)) };
}

/** Yields the files. Links in notes lead to the new paths. Reports links that lead to no file. */
export function* rewrittenFiles(
  files: readonly PlainFile[],
  { kind, progress }: { readonly kind: FolderKind; readonly progress: ImportProgress },
): Generator<ImportedFile, void> {
  const linked = new LinkedFiles(files, kind === 'plain' ? [] : titlesOf(files));
  for (const { file, name, path, head } of files)
    yield {
      name,
      path,
      sizeBytes: file.sizeBytes,
      modifiedAt: head.modifiedAt ?? file.modifiedAt,
      read: async () => {
        const bytes = await readWhole(file);
        // Links of Org have another form.
        if (!isNoteName(nameOf(path), []) || suffixOf(path) === '.org') return bytes;
        const text = await decodeText(bytes);
        if (text === undefined) return bytes;
        const note = { name, path };
        const wikiLinks = kind === 'plain' ? 'renamed' : 'all';
        const rewritten = rewriteLinks(text, { note, files: linked, wikiLinks });
        const [first, ...others] = rewritten.missing;
        if (first !== undefined) reportPartial(progress, { name, why: missingLinks(first, others.length) });
        return rewritten.text === text ? bytes : Buffer.from(rewritten.text);
      },
    };
}

function* titlesOf(files: readonly PlainFile[]): Generator<readonly [string, PlainFile], void> {
  for (const file of files)
    if (isNoteName(nameOf(file.name), [])) yield [file.head.title ?? stemOf(file.name), file];
}

function missingLinks(first: string, others: number): string {
  if (others === 0) return `${first} leads to no file`;
  return `${first} and ${others} more ${others === 1 ? 'link lead' : 'links lead'} to no file`;
}
