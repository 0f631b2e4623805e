import type { SignedIn } from '../../access/viewer.ts';
import { LIMITS } from '../../core/limits.ts';
import { LAST_MS } from '../../http/time.ts';
import type { Notebook } from '../model.ts';
import type { NotebookWriter } from '../save.ts';
import type { NoteSearchIndex } from '../search/search-index.ts';
import { addFiles, type ReadFile } from './batch.ts';
import { type ImportedFile, type ImportProgress, type ImportSource, NotTakenError } from './model.ts';
import { importedPath } from './names.ts';
import { newProgress, notTake } from './progress.ts';

/** Imports notes and the files beside them. */
export class NoteImport {
  readonly #writer: NotebookWriter;
  readonly #searchIndex: NoteSearchIndex;

  constructor({ writer, searchIndex }: { writer: NotebookWriter; searchIndex: NoteSearchIndex }) {
    this.#writer = writer;
    this.#searchIndex = searchIndex;
  }

  /**
   * Adds all files of a source to the notebook of the viewer, many in each commit. After a failure, import again: files that
   * are there already stay as they are.
   *
   * @param options.category of the notebook, below which the folders of the source begin
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
    for await (const entry of source.entries()) {
      if (entry.kind === 'hidden') progress.hidden += 1;
      else if (entry.kind === 'not-taken') notTake(progress, entry);
      else {
        const file = await readFor(options.category, entry.file, progress);
        if (file === undefined) continue;
        batch.push(file);
        batchBytes += file.content.length;
        if (batch.length >= LIMITS.importBatchFilesMax || batchBytes >= LIMITS.importBatchBytesMax)
          await flush();
      }
    }
    await flush();
    // The first search need not wait for the words of all these notes, only for those of the last commit.
    if (notebook !== undefined) await this.#searchIndex.bringAll(notebook);
    return progress;
  }

  /** @returns the notebook before the change */
  async #write(viewer: SignedIn, files: readonly ReadFile[], progress: ImportProgress): Promise<Notebook> {
    const { open, result } = await this.#writer.write(viewer, (version) => addFiles(viewer, version, files));
    progress.notes += result.notes;
    progress.otherFiles += result.otherFiles;
    progress.present += result.present;
    for (const file of result.notTaken) notTake(progress, file);
    return open.notebook;
  }
}

/** @returns undefined for a file that cannot be taken */
async function readFor(
  category: string,
  file: ImportedFile,
  progress: ImportProgress,
): Promise<ReadFile | undefined> {
  const { name, sizeBytes, modifiedAt } = file;
  try {
    const path = importedPath(category, name);
    if (sizeBytes > LIMITS.importFileBytesMax)
      throw new NotTakenError(`it has more than ${LIMITS.importFileBytesMax} bytes`);
    if (progress.bytes + sizeBytes > LIMITS.importBytesMax)
      throw new NotTakenError(`all files together have more than ${LIMITS.importBytesMax} bytes`);
    const content = await file.read();
    progress.bytes += content.length;
    return { name, path, content, modifiedAt: Math.min(modifiedAt, LAST_MS) };
  } catch (error) {
    if (!(error instanceof NotTakenError)) throw error;
    notTake(progress, { name, why: error.message });
    return undefined;
  }
}
