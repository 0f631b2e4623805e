import { undefinedIf } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import { BRANCHES } from '../../git/format/ref-names.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { CreatedRepository } from '../repositories/creation/model.ts';
import type { RefsChange } from '../repositories/refs/pushes.ts';
import { LANGUAGE_LIMITS } from './limits.ts';
import type { Languages } from './service.ts';

const MEASURE = defineJob<{ readonly repositoryId: RepositoryId }>('languages.measure');

/** Measures repositories shortly after they change. */
export class LanguageJobs {
  readonly #jobs: Jobs;
  readonly #languages: Languages;

  constructor(dependencies: { jobs: Jobs; languages: Languages }) {
    const { jobs, languages } = dependencies;
    this.#jobs = jobs;
    this.#languages = languages;
    jobs.register(
      MEASURE,
      ({ repositoryId }, { signal }) =>
        languages.measure(repositoryId, signal).catch(undefinedIf('not_found')),
      { atOnceMax: 1 },
    );
  }

  async afterPush(tx: Tx, { repositoryId, moved }: RefsChange): Promise<void> {
    if (moved.some(({ ref }) => ref.startsWith(BRANCHES))) await this.enqueue(tx, repositoryId);
  }

  /** A fork starts with its parent's measurement. */
  async afterCreation(tx: Tx, { repositoryId, parentId }: CreatedRepository): Promise<void> {
    if (parentId === null) return;
    await this.#languages.inherit(tx, repositoryId);
    await this.enqueue(tx, repositoryId);
  }

  enqueue(tx: Tx, repositoryId: RepositoryId): Promise<void> {
    const delayMs = LANGUAGE_LIMITS.languagesDelayMs;
    return this.#jobs.enqueue(tx, MEASURE, { key: `${repositoryId}`, payload: { repositoryId }, delayMs });
  }
}
