import { ForgeError } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { DEFAULT_SETTINGS, type Notebook, type NotebookLocation } from '../model.ts';
import type { NotebookIndex } from './notebook-index.ts';
import type { NoteSearchIndex } from './search-index.ts';

const INDEX = defineJob<NotebookLocation>('notes.index');
const WORDS = defineJob<NotebookLocation>('notes.words');

interface Dependencies {
  readonly jobs: Jobs;
  readonly index: NotebookIndex;
  readonly searchIndex: NoteSearchIndex;
}

/**
 * Indexes notebooks after large pushes. It indexes words later, because clients list the notes of a push before they
 * search them. This work is only a head start: each call indexes everything that it needs, and reports failures.
 */
export class NoteIndexJobs {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const options = { atOnceMax: 1 };
    this.#use.jobs.register(INDEX, (location) => unlessPrevented(() => this.#catchUp(location)), options);
    this.#use.jobs.register(
      WORDS,
      (location, { signal }) => unlessPrevented(() => this.#catchUpWords(location, signal)),
      options,
    );
  }

  async enqueue(tx: Tx, { repositoryId, folder }: NotebookLocation): Promise<void> {
    const job = { key: `${repositoryId}:${folder}`, payload: { repositoryId, folder } };
    await this.#use.jobs.enqueue(tx, INDEX, job);
    await this.#use.jobs.enqueue(tx, WORDS, { ...job, delayMs: NOTE_LIMITS.noteWordsDelayMs });
  }

  #catchUp(location: NotebookLocation): Promise<Notebook> {
    return this.#use.index.catchUp(location, { suffix: DEFAULT_SETTINGS.fileSuffix });
  }

  async #catchUpWords(location: NotebookLocation, signal: AbortSignal): Promise<void> {
    await this.#use.searchIndex.catchUpFully(await this.#catchUp(location), signal);
  }
}

async function unlessPrevented(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
  }
}
