import type { SignedIn } from '../../../api/access/viewer.ts';
import { LAST_MS } from '../../../http/time.ts';
import type { NoteSearchIndex } from '../index/search-index.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { Notebook } from '../model.ts';
import { addFavorites, listNotesAt } from '../store/notes.ts';
import type { NotebookWriter } from '../writing/save.ts';
import { addFiles, type ReadFile } from './batch.ts';
import { importedFiles } from './convert.ts';
import { type ImportedFile, type ImportProgress, type ImportSource, NotTakenError } from './model.ts';
import { importedPath } from './names.ts';
import { newProgress, notTake } from './progress.ts';
import { requireSmall } from './read-file.ts';

interface Dependencies {
  readonly writer: NotebookWriter;
  readonly searchIndex: NoteSearchIndex;
}

/** Imports notes and the files beside them. */
export class NoteImport {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Adds all files of a source to the notebook of the viewer, many in each commit. After a failure, the user can import
   * again, because files that exist already are not changed.
   *
   * @param options.category category of the notebook below which the folders of the source are added
   * @param options.onProgress called after each commit
   * @throws ForgeError as `NotebookWriter.write`
   */
  async import(
    viewer: SignedIn,
    source: ImportSource,
    options: { category: string; onProgress: (progress: ImportProgress) => void },
  ): Promise<ImportProgress> {
    const progress = newProgress();
    let batch: ReadFile[] = [];
    let batchBytes = 0;
    let notebook: Notebook | undefined;
    const flush = async () => {
      if (batch.length > 0) notebook = await this.#write(viewer, batch, progress);
      options.onProgress(progress);
      batch = [];
      batchBytes = 0;
    };
    for await (const each of importedFiles(source, progress)) {
      const file = await readFor(options.category, each, progress);
      if (file === undefined) continue;
      batch.push(file);
      batchBytes += file.content.length;
      if (batch.length >= NOTE_LIMITS.importBatchFilesMax || batchBytes >= NOTE_LIMITS.importBatchBytesMax)
        await flush();
    }
    await flush();
    // The first search need not wait for the words of all these notes, only for those of the last commit.
    if (notebook !== undefined) await this.#use.searchIndex.catchUpFully(notebook);
    return progress;
  }

  /** @returns the notebook before the change */
  async #write(viewer: SignedIn, files: readonly ReadFile[], progress: ImportProgress): Promise<Notebook> {
    const { open, result } = await this.#use.writer.write(viewer, (version) =>
      addFiles(viewer, version, files, async (tx, placed) => {
        const paths = placed.flatMap(({ file, path, isNew }) =>
          isNew && file.isFavorite === true ? path : [],
        );
        const favorites = await listNotesAt(tx, version.open.notebook.id, paths);
        await addFavorites(
          tx,
          favorites.map(({ id }) => id),
          viewer.accountId,
        );
      }),
    );
    progress.notes += result.notes;
    progress.otherFiles += result.otherFiles;
    progress.present += result.present;
    for (const file of result.notTaken) notTake(progress, file);
    return open.notebook;
  }
}

/** @returns undefined for a file that cannot be imported */
async function readFor(
  category: string,
  file: ImportedFile,
  progress: ImportProgress,
): Promise<ReadFile | undefined> {
  const { name, sizeBytes, modifiedAt, isFavorite = false, mayMove = false } = file;
  try {
    const path = importedPath(category, file.path);
    requireSmall(sizeBytes);
    if (progress.bytes + sizeBytes > NOTE_LIMITS.importBytesMax)
      throw new NotTakenError(`all files together have more than ${NOTE_LIMITS.importBytesMax} bytes`);
    const content = await file.read();
    progress.bytes += content.length;
    return { name, path, content, isFavorite, mayMove, modifiedAt: Math.min(modifiedAt, LAST_MS) };
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    notTake(progress, { name, why: error.message });
    return undefined;
  }
}
