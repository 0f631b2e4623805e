import { ForgeError } from '../core/failure.ts';
import type { Tx } from '../database/database.ts';
import { defineJob } from '../jobs/model.ts';
import type { Jobs } from '../jobs/service.ts';
import { DEFAULT_SETTINGS, type NotebookLocation } from './model.ts';
import type { NotebookIndex } from './notebook-index.ts';
import type { NoteSearchIndex } from './search/search-index.ts';

const INDEX = defineJob<NotebookLocation>('notes.index');

/**
 * Indexes notebooks after large pushes, and their words. This is a head start: each call brings up what it needs, and meets
 * whatever prevents it.
 */
export class NoteIndexJobs {
  readonly #jobs: Jobs;
  readonly #index: NotebookIndex;
  readonly #searchIndex: NoteSearchIndex;

  constructor(dependencies: { jobs: Jobs; index: NotebookIndex; searchIndex: NoteSearchIndex }) {
    this.#jobs = dependencies.jobs;
    this.#index = dependencies.index;
    this.#searchIndex = dependencies.searchIndex;
    this.#jobs.register(INDEX, (location, { signal }) => this.#run(location, signal), { atOnceMax: 1 });
  }

  enqueue(tx: Tx, { repositoryId, folder }: NotebookLocation): Promise<void> {
    return this.#jobs.enqueue(tx, INDEX, {
      key: `${repositoryId}:${folder}`,
      payload: { repositoryId, folder },
    });
  }

  async #run(location: NotebookLocation, signal: AbortSignal): Promise<void> {
    try {
      const notebook = await this.#index.bring(location, { suffix: DEFAULT_SETTINGS.fileSuffix });
      await this.#searchIndex.bringAll(notebook, signal);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
    }
  }
}
