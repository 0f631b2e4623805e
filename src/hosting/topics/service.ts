import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { setTopics } from '../repositories/writes.ts';
import type { Generated } from '../template-repositories/generate.ts';
import { TOPIC } from './actions.ts';
import { REPOSITORY_TOPICS_CHANGED } from './events.ts';
import { TOPIC_LIMITS } from './limits.ts';
import type { Topic } from './model.ts';
import { tooMany, topicOf, topicsOf } from './names.ts';
import { addTopics, removeTopics, searchTopics, uncountTopicsOf } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Reads and changes the topics of repositories. */
export class Topics {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async list(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<string>> {
    const { topics } = (await this.#use.repositories.get(viewer, path, TOPIC.list)).repository;
    const offset = offsetOf(paging);
    return { items: topics.slice(offset, offset + paging.limit), total: topics.length };
  }

  /**
   * Replaces all topics of a repository.
   *
   * @throws ForgeError as `Repositories.get`, and `invalid`
   */
  async replace(viewer: Viewer, path: RepositoryPath, texts: readonly string[]): Promise<void> {
    const topics = topicsOf(texts);
    await this.#change(viewer, path, () => topics);
  }

  /** @throws ForgeError as `replace` */
  async add(viewer: Viewer, path: RepositoryPath, text: string): Promise<void> {
    const topic = topicOf(text);
    await this.#change(viewer, path, (present) => {
      if (present.includes(topic)) return present;
      if (present.length >= TOPIC_LIMITS.topicsPerRepositoryMax) throw tooMany();
      return [...present, topic].sort();
    });
  }

  /** @throws ForgeError as `replace`, and `not_found` if the repository lacks the topic */
  async remove(viewer: Viewer, path: RepositoryPath, text: string): Promise<void> {
    const topic = topicOf(text);
    await this.#change(viewer, path, (present) => {
      if (!present.includes(topic)) throw notFound('topic');
      return present.filter((name) => name !== topic);
    });
  }

  async #change(
    viewer: Viewer,
    path: RepositoryPath,
    next: (present: readonly string[]) => readonly string[],
  ): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, TOPIC.change);
    await this.#use.database.transaction(async (tx) => {
      const locked = await this.#use.repositories.lock(tx, viewer, repository.id, TOPIC.change);
      const before = locked.repository.topics;
      const topics = next(before);
      if (!(await this.#write(tx, repository.id, { before, after: topics }))) return;
      await insertEvent(tx, REPOSITORY_TOPICS_CHANGED, {
        actorId: viewer.accountId,
        repositoryId: repository.id,
        payload: { topics },
        former: { topics: before },
      });
    });
  }

  /** @returns whether the topics changed */
  async #write(
    tx: Tx,
    id: RepositoryId,
    { before, after }: { before: readonly string[]; after: readonly string[] },
  ): Promise<boolean> {
    const added = after.filter((name) => !before.includes(name));
    const removed = before.filter((name) => !after.includes(name));
    if (added.length + removed.length === 0) return false;
    const now = currentTimeMs();
    await addTopics(tx, id, added, now);
    await removeTopics(tx, id, removed, now);
    await setTopics(tx, id, after);
    return true;
  }

  /** Copies the topics of a template to the repository that was generated from it, if the request includes topics. */
  async copy(tx: Tx, { from, to, taken }: Generated): Promise<void> {
    if (taken.topics) await this.#write(tx, to, { before: [], after: from.topics });
  }

  /** Gives topics to a repository that is being published. @param topics as `topicsOf` returns them */
  async addFirst(tx: Tx, id: RepositoryId, topics: readonly string[]): Promise<void> {
    await this.#write(tx, id, { before: [], after: topics });
  }

  /** Updates the counts of topics before a repository is deleted. */
  uncount(tx: Tx, id: RepositoryId): Promise<void> {
    return uncountTopicsOf(tx, id);
  }

  /** Finds topics by part of their name, if a repository that the viewer may see has them. */
  async search(viewer: Viewer, words: string, paging: Paging): Promise<Page<Topic>> {
    const lower = words.trim().toLowerCase();
    // No topic can match: topics are shorter and contain no control characters.
    if (lower.length > TOPIC_LIMITS.topicCharsMax || !isPlainLine(lower)) return { items: [], total: 0 };
    const pattern = `%${lower.replace(/[\\%_]/g, '\\$&')}%`;
    return searchTopics(this.#use.database.reader, viewer, pattern, paging);
  }
}
