import { invalid } from '../../../base/core/failure.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { folderOf } from '../names.ts';
import { EXPORT_FORMATS } from './exports/formats.ts';
import type { ExportFormat, Repeated } from './exports/model.ts';
import { type FolderKind, placePlainFiles, rewrittenFiles } from './markdown/plain-files.ts';
import {
  type ImportedFile,
  type ImportProgress,
  type ImportSource,
  NotTakenError,
  type SourceFile,
} from './model.ts';
import { Places } from './places.ts';
import { leaveOut, notTake } from './progress.ts';
import { readStart } from './read-file.ts';

/** A file in which an app has exported notes. */
interface Export {
  readonly format: ExportFormat;
  readonly file: SourceFile;
}

/**
 * Reads the notes of a source, and the files beside them. Text files keep their titles, times and links. Exports of
 * apps are recognized by their content. Reports files that are left out or cannot be imported.
 *
 * @throws ForgeError `invalid` for a source with too many files
 */
export async function* importedFiles(
  source: ImportSource,
  progress: ImportProgress,
): AsyncGenerator<ImportedFile, void> {
  const { kind, files } = await listFiles(source, progress);
  if (kind !== 'plain') progress.apps.add(kind === 'obsidian' ? 'Obsidian' : 'Logseq');
  const seen = progress.notTakenTotal + files.length;
  const { exports, rest } = await findExports(files, progress);
  if (exports.length === 0) progress.filesTotal = seen;
  const roots = new Set(exports.flatMap(({ format, file }) => format.root(file.name) ?? []));
  const places = new Places();
  const plain = await placePlainFiles(rest, { kind, places, nameOf: ({ name }) => withoutRoot(name, roots) });
  yield* rewrittenFiles(plain, { kind, progress });
  const paths = new Map(plain.map(({ name, path }) => [name, path]));
  for (const { format, file } of exports) {
    try {
      yield* format.files(file, { progress, places, pathOf: (name) => paths.get(name) });
    } catch (error) {
      if (!(error instanceof NotTakenError)) throw error;
      notTake(progress, { name: file.name, why: error.message });
    }
  }
}

async function listFiles(
  source: ImportSource,
  progress: ImportProgress,
): Promise<{ kind: FolderKind; files: readonly SourceFile[] }> {
  const found: SourceFile[] = [];
  const hidden: string[] = [];
  for await (const entry of source.entries()) {
    if (entry.kind === 'not-taken') notTake(progress, entry);
    else if (entry.kind === 'file') found.push(entry.file);
    else {
      leaveOut(progress, 'hidden');
      if (/(?:^|\/)\.obsidian(?:\/|$)/.test(entry.name)) hidden.push(entry.name);
    }
    if (found.length > NOTE_LIMITS.importFilesMax)
      throw invalid(`there are more than ${NOTE_LIMITS.importFilesMax} files to import`);
  }
  const names = found.map(({ name }) => name);
  const graph = rootWith('logseq/config.edn', names, names);
  const vault = rootWith('.obsidian', hidden, names);
  const root = graph ?? vault ?? '';
  const files = found.map((file) => ({ ...file, name: file.name.slice(root.length) }));
  if (graph === undefined) return { kind: vault === undefined ? 'plain' : 'obsidian', files };
  // Logseq keeps its settings and old versions of pages there.
  const kept = files.filter(({ name }) => !name.startsWith('logseq/'));
  leaveOut(progress, 'part of Logseq', files.length - kept.length);
  return { kind: 'logseq', files: kept };
}

/**
 * Returns the folder around all files that has a mark of an app in it, with a slash at its end: '' for the root of the source;
 * undefined if there is none.
 */
function rootWith(mark: string, marked: readonly string[], all: readonly string[]): string | undefined {
  const roots = marked.flatMap((name) => {
    const at = `/${name}/`.indexOf(`/${mark}/`);
    return at === -1 ? [] : [name.slice(0, at)];
  });
  const [root] = roots.sort((one, other) => one.length - other.length);
  return root === undefined || all.every((each) => each.startsWith(root)) ? root : undefined;
}

async function findExports(
  files: readonly SourceFile[],
  progress: ImportProgress,
): Promise<{ exports: readonly Export[]; rest: readonly SourceFile[] }> {
  const exports: Export[] = [];
  const others: SourceFile[] = [];
  for (const file of files) {
    const format = await formatOf(file);
    if (format === undefined) others.push(file);
    else exports.push({ format, file });
  }
  for (const { format } of exports) progress.apps.add(format.app);
  const isRepeated = isAmong(exports.map(({ format, file }) => format.repeats(file.name)));
  const rest = others.filter(({ name }) => !isRepeated(name));
  leaveOut(progress, 'the export has it twice', others.length - rest.length);
  return { exports, rest };
}

async function formatOf(file: SourceFile): Promise<ExportFormat | undefined> {
  if (!/\.(?:enex|json|txt)$/i.test(file.name)) return undefined;
  const start = (await readStart(file, NOTE_LIMITS.importStartBytesMax)).toString();
  return EXPORT_FORMATS.find((format) => format.recognizes(file.name, start));
}

function isAmong(repeated: readonly Repeated[]): (name: string) => boolean {
  const files = new Set(repeated.flatMap(({ files: names = [] }) => names));
  const textsInFolders = new Set(repeated.flatMap(({ textsInFolders: names = [] }) => names));
  const belowFolders = new Set(repeated.flatMap(({ belowFolders: names = [] }) => names));
  return (name) =>
    files.has(name) ||
    (textsInFolders.has(folderOf(name)) && /\.txt$/i.test(name)) ||
    foldersAround(name).some((folder) => belowFolders.has(folder));
}

/** Returns a name without the folder that stands for the notebook. */
function withoutRoot(name: string, roots: ReadonlySet<string>): string {
  const root = foldersAround(name).find((folder) => roots.has(folder));
  return root === undefined ? name : name.slice(root.length + 1);
}

/** Returns the folders in which a file is, the innermost one first, without the root. */
function foldersAround(name: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = folderOf(name); folder !== ''; folder = folderOf(folder)) folders.push(folder);
  return folders;
}
