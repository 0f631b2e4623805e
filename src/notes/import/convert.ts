import { invalid } from '../../core/failure.ts';
import { LIMITS } from '../../core/limits.ts';
import { isNoteName, pathOf, suffixOf } from '../names.ts';
import { EXPORT_FORMATS } from './exports/formats.ts';
import type { ExportFormat, Repeated } from './exports/model.ts';
import { LinkedFiles, type PlacedName } from './markdown/files.ts';
import { headOf, logseqTitle, type NoteHead } from './markdown/head.ts';
import { rewriteLinks } from './markdown/rewrite.ts';
import {
  type ImportedFile,
  type ImportProgress,
  type ImportSource,
  NotTakenError,
  type SourceFile,
} from './model.ts';
import { folderOf, nameOf, Places } from './places.ts';
import { leaveOut, notTake, takeInPart } from './progress.ts';
import { readStart, readWhole } from './read-file.ts';

/** What a folder is, besides a folder of text files. */
type Kind = 'folder' | 'obsidian' | 'logseq';

/** Everything in a source. */
interface Listing {
  readonly kind: Kind;
  readonly files: readonly SourceFile[];
}

/** A file in which an app has exported notes. */
interface Export {
  readonly format: ExportFormat;
  readonly file: SourceFile;
}

/** A file that comes along as it is, except for the links of a note. */
interface Plain extends PlacedName {
  readonly file: SourceFile;
  readonly head: NoteHead;
}

/**
 * Reads the notes of a source, and the files beside them: text files as they are, with their titles, times and links; and the
 * exports of apps, which are recognized by their content. Reports what is left out or cannot be taken.
 *
 * @throws ForgeError `invalid` for a source with too many files
 */
export async function* importedFiles(
  source: ImportSource,
  progress: ImportProgress,
): AsyncGenerator<ImportedFile, void> {
  const { kind, files } = await listFiles(source, progress);
  progress.filesTotal = files.length;
  if (kind !== 'folder') progress.apps.add(kind === 'obsidian' ? 'Obsidian' : 'Logseq');
  const { exports, rest } = await findExports(files, progress);
  const roots = new Set(exports.flatMap(({ format, file }) => format.root(file.name) ?? []));
  const places = new Places();
  const plain = await placePlain(rest, { kind, roots, places });
  const paths = new Map(plain.map(({ name, path }) => [name, path]));
  const linked = new LinkedFiles(plain, kind === 'folder' ? [] : titlesOf(plain));
  for (const each of plain) yield plainFile(each, { kind, linked, progress });
  for (const { format, file } of exports) {
    try {
      yield* format.files(file, { progress, places, pathOf: (name) => paths.get(name) });
    } catch (error) {
      if (!(error instanceof NotTakenError)) throw error;
      notTake(progress, { name: file.name, why: error.message });
    }
  }
}

async function listFiles(source: ImportSource, progress: ImportProgress): Promise<Listing> {
  const files: SourceFile[] = [];
  let isVault = false;
  for await (const entry of source.entries()) {
    if (entry.kind === 'not-taken') notTake(progress, entry);
    else if (entry.kind === 'file') files.push(entry.file);
    else {
      leaveOut(progress, 'hidden');
      isVault ||= /^\.obsidian(?:\/|$)/.test(entry.name);
    }
    if (files.length > LIMITS.importFilesMax)
      throw invalid(`there are more than ${LIMITS.importFilesMax} files to import`);
  }
  const isGraph = files.some(({ name }) => name === 'logseq/config.edn');
  if (!isGraph) return { kind: isVault ? 'obsidian' : 'folder', files };
  // Logseq keeps its settings and old versions of pages there.
  const kept = files.filter(({ name }) => !name.startsWith('logseq/'));
  for (let left = kept.length; left < files.length; left += 1) leaveOut(progress, 'part of Logseq');
  return { kind: 'logseq', files: kept };
}

async function findExports(
  files: readonly SourceFile[],
  progress: ImportProgress,
): Promise<{ exports: readonly Export[]; rest: readonly SourceFile[] }> {
  const exports: Export[] = [];
  for (const file of files) {
    const format = await formatOf(file);
    if (format === undefined) continue;
    exports.push({ format, file });
    progress.apps.add(format.app);
  }
  const taken = new Set(exports.map(({ file }) => file));
  const repeated = exports.map(({ format, file }) => format.repeats(file.name));
  const isRepeated = isAmong({
    files: repeated.flatMap(({ files: names = [] }) => names),
    inFolders: repeated.flatMap(({ inFolders = [] }) => inFolders),
    belowFolders: repeated.flatMap(({ belowFolders = [] }) => belowFolders),
  });
  const others = files.filter((file) => !taken.has(file));
  const rest = others.filter(({ name }) => !isRepeated(name));
  for (let left = rest.length; left < others.length; left += 1) leaveOut(progress, 'the export has it twice');
  return { exports, rest };
}

function isAmong({ files, inFolders, belowFolders }: Required<Repeated>): (name: string) => boolean {
  const [names, folders, below] = [new Set(files), new Set(inFolders), new Set(belowFolders)];
  return (name) =>
    names.has(name) || folders.has(folderOf(name)) || foldersAround(name).some((folder) => below.has(folder));
}

/** Returns the folders in which a file is, the innermost one first, without the root. */
function foldersAround(name: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = folderOf(name); folder !== ''; folder = folderOf(folder)) folders.push(folder);
  return folders;
}

async function formatOf(file: SourceFile): Promise<ExportFormat | undefined> {
  if (!/\.(?:enex|json|txt)$/i.test(file.name)) return undefined;
  const start = (await readStart(file, LIMITS.importStartBytesMax)).toString();
  return EXPORT_FORMATS.find((format) => format.recognizes(file.name, start));
}

/** Decides where files go. A note whose text has another title gets that, if no other file has it. */
async function placePlain(
  files: readonly SourceFile[],
  { kind, roots, places }: { kind: Kind; roots: ReadonlySet<string>; places: Places },
): Promise<readonly Plain[]> {
  const found = [];
  for (const file of files) {
    const name = withoutRoot(file.name, roots);
    const head = isNoteName(nameOf(name), []) ? await noteHead(file, kind) : {};
    const stem = nameOf(name).slice(0, nameOf(name).length - suffixOf(name).length);
    const isRenamed = head.title !== undefined && head.title !== stem;
    if (!isRenamed) places.keep(name);
    found.push({ file, name, head, isRenamed });
  }
  return found.map(({ file, name, head, isRenamed }) => {
    if (!isRenamed) return { file, head, name: file.name, path: name };
    const parts = (head.title ?? '').split(kind === 'logseq' ? '/' : '\0');
    const title = parts.pop() ?? '';
    const category = pathOf(folderOf(name), parts.join('/')).replace(/\/$/, '');
    return { file, head, name: file.name, path: places.choose({ category, title, suffix: suffixOf(name) }) };
  });
}

function withoutRoot(name: string, roots: ReadonlySet<string>): string {
  const root = foldersAround(name).find((folder) => roots.has(folder));
  return root === undefined ? name : name.slice(root.length + 1);
}

async function noteHead(file: SourceFile, kind: Kind): Promise<NoteHead> {
  const start = (await readStart(file, LIMITS.importStartBytesMax)).toString();
  const { title, ...head } = headOf(start);
  if (kind === 'folder') return { ...head, ...(title === undefined ? {} : { title }) };
  // In Obsidian, the name of the file is the title.
  if (kind === 'obsidian' || !file.name.startsWith('pages/')) return head;
  const stem = nameOf(file.name).slice(0, nameOf(file.name).length - suffixOf(file.name).length);
  return { ...head, title: logseqTitle(start, stem) };
}

function* titlesOf(plain: readonly Plain[]): Generator<readonly [string, Plain], void> {
  for (const each of plain) {
    const stem = nameOf(each.name).slice(0, nameOf(each.name).length - suffixOf(each.name).length);
    if (isNoteName(nameOf(each.name), [])) yield [each.head.title ?? stem, each];
  }
}

function plainFile(
  { file, name, path, head }: Plain,
  { kind, linked, progress }: { kind: Kind; linked: LinkedFiles; progress: ImportProgress },
): ImportedFile {
  return {
    name,
    path,
    sizeBytes: file.sizeBytes,
    modifiedAt: head.modifiedAt ?? file.modifiedAt,
    read: async () => {
      const bytes = await readWhole(file);
      if (!isNoteName(nameOf(path), [])) return bytes;
      const text = bytes.toString();
      const rewritten = rewriteLinks(text, {
        note: { name, path },
        files: linked,
        hasWikiLinks: kind !== 'folder',
      });
      const [first, ...others] = rewritten.missing;
      if (first !== undefined) takeInPart(progress, { name, why: missingLinks(first, others.length) });
      return rewritten.text === text ? bytes : Buffer.from(rewritten.text);
    },
  };
}

function missingLinks(first: string, others: number): string {
  if (others === 0) return `${first} leads to no file`;
  return `${first} and ${others} more ${others === 1 ? 'link lead' : 'links lead'} to no file`;
}
