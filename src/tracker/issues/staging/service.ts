import type { Database, Tx } from '../../../base/database/database.ts';
import { defineJob } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { wordsOfTexts } from '../../../base/text-search/words.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { addToRepositoryCounts, setLastIssueNumber } from '../../../hosting/repositories/writes.ts';
import type { ImportedComment, ImportedIssue, Publication } from '../models/staging.ts';
import { INDEXING_JOB, issueWords, setTexts, type TextKind, type TextWords } from '../search/store/words.ts';
import { publishEntries } from './store/entries.ts';
import { countImported, pinImported, publishStagedIssues } from './store/publish.ts';
import { insertStagedComments, insertStagedIssues } from './store/stage.ts';
import { STAGED_TABLES } from './store/tables.ts';
import { type ListedTexts, lockTexts, type TextPlace } from './store/texts.ts';
import { deleteStaged } from './writes.ts';

/** Work after an import. Migrations also request the job, to index the texts of repositories again. */
const FINISH = defineJob<{ readonly repositoryId: RepositoryId }>(INDEXING_JOB);

/**
 * Imports issues of other servers. While their repository is pending, they are staged in bounded transactions. The
 * transaction that publishes the repository copies them inside the database. It writes no events, so no user is
 * notified, and it records no references of their texts. A job indexes their words afterwards.
 */
export class IssueStaging {
  readonly #database: Database;
  readonly #jobs: Jobs;

  constructor({ database, jobs }: { database: Database; jobs: Jobs }) {
    this.#database = database;
    this.#jobs = jobs;
    jobs.register(FINISH, ({ repositoryId }, { signal }) => this.#finish(repositoryId, signal), {
      atOnceMax: 1,
    });
  }

  async addIssues(id: RepositoryId, issues: readonly ImportedIssue[]): Promise<void> {
    await this.#database.transaction((tx) => insertStagedIssues(tx, id, issues));
  }

  async addComments(id: RepositoryId, comments: readonly ImportedComment[]): Promise<void> {
    await this.#database.transaction((tx) => insertStagedComments(tx, id, comments));
  }

  /** Turns the staged rows into issues and pull requests of a repository that is being published. */
  async publish(tx: Tx, id: RepositoryId, publication: Publication): Promise<void> {
    const { pinned, pulls } = publication;
    await publishStagedIssues(tx, id, publication);
    await pulls?.publish(tx);
    await publishEntries(tx, id, async (tx, entries) => pulls?.link(tx, entries));
    for (const numbers of [pinned.issues, pinned.pulls]) await pinImported(tx, id, numbers);
    const { issues: ofIssues, pulls: ofPulls, comments, last } = await countImported(tx, id);
    await addToRepositoryCounts(tx, [id], {
      openIssues: ofIssues.open,
      closedIssues: ofIssues.closed,
      openPulls: ofPulls.open,
      closedPulls: ofPulls.closed,
      comments,
    });
    await setLastIssueNumber(tx, id, Math.max(last, publication.lastNumber));
    await this.release(tx, id);
  }

  /** Schedules deletion of the staged rows after the repository is published or abandoned. */
  release(tx: Tx, id: RepositoryId): Promise<void> {
    return this.#jobs.enqueue(tx, FINISH, { key: `${id}`, payload: { repositoryId: id } });
  }

  async #finish(id: RepositoryId, signal: AbortSignal): Promise<void> {
    for (const texts of ['issue', 'comment', 'review', 'line'] as const) {
      for (let after: TextPlace | undefined = { id: 0, reviewId: 0 }; after !== undefined; ) {
        signal.throwIfAborted();
        const from: TextPlace = after;
        after = await this.#database.transaction((tx) =>
          indexTexts(tx, texts, { repositoryId: id, after: from }),
        );
      }
    }
    while (await this.#database.transaction((tx) => deleteStaged(tx, id, STAGED_TABLES)))
      signal.throwIfAborted();
  }
}

/** Indexes the words of some texts. @returns as `lockTexts` */
async function indexTexts(
  tx: Tx,
  texts: ListedTexts,
  from: { readonly repositoryId: RepositoryId; readonly after: TextPlace },
): Promise<TextPlace | undefined> {
  const { rows, last } = await lockTexts(tx, texts, from);
  const kind: TextKind = texts === 'review' ? 'comment' : texts;
  const found = rows.map(({ title, body, ...row }): TextWords => {
    const words = wordsOfTexts({ title, body });
    return { ...row, words: kind === 'issue' ? issueWords(words) : { body: words.body } };
  });
  await setTexts(tx, kind, found);
  return last;
}
