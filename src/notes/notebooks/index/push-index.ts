import { ForgeError } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RefUpdate } from '../../../git/interface/refs.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import type { Moving } from '../../../hosting/repositories/refs/pushes.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { Notebook } from '../model.ts';
import { listNotebooksAt } from '../store/notebooks.ts';
import type { NoteIndexJobs } from './index-jobs.ts';
import type { NotebookIndex } from './notebook-index.ts';

interface Dependencies {
  readonly database: Database;
  readonly index: NotebookIndex;
  readonly jobs: NoteIndexJobs;
}

/**
 * Brings the notebooks of a repository up to a push, in the transaction of the push. A notebook that changes too much is
 * left to a job. Both are a head start: each call of the notes API brings its notebook up to the branch.
 */
export class PushIndex {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  async beforePush(
    session: WriteSession,
    updates: readonly RefUpdate[],
    { origin, later }: Moving,
  ): Promise<void> {
    if (origin.kind === 'api' && origin.saves === 'notes') return;
    const { base } = session;
    const update = updates.find(({ ref }) => ref === base.head);
    const tip = update?.new ?? null;
    if (update === undefined || tip === null) return;
    const notebooks = await listNotebooksAt(this.#use.database.reader, base.id, update.old);
    for (const notebook of notebooks.slice(0, NOTE_LIMITS.notebooksIndexedInPushMax)) {
      const write = await this.#prepare(session, notebook, tip);
      later(async (tx, { moved }) => {
        if (!moved.some(({ ref }) => ref === update.ref)) return;
        if (write === undefined) await this.#use.jobs.enqueue(tx, notebook);
        else await write(tx);
      });
    }
  }

  /** @returns undefined if too much changes, or the notes cannot be read */
  async #prepare(session: WriteSession, notebook: Notebook, tip: Oid) {
    const { id, objectFormat } = session.base;
    const objects = { id, objectFormat, objects: session.objects };
    const options = { isRebuild: false, filesMax: NOTE_LIMITS.notesIndexedInPushMax };
    try {
      return await this.#use.index.prepare(objects, notebook, tip, options);
    } catch (error) {
      if (error instanceof ForgeError) return undefined;
      throw error;
    }
  }
}
