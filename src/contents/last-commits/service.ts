import { KeyedLock } from '../../core/keyed-lock.ts';
import { LIMITS } from '../../core/limits.ts';
import { createSizedCache } from '../../core/sized-cache.ts';
import type { Database } from '../../database/database.ts';
import { listCommits } from '../../git/history/list-commits.ts';
import type { GitStorage, ObjectReader, Oid, RepositoryId, Snapshot } from '../../git/model.ts';
import { IndexingPass, TooManyEntriesError, UnknownParentError } from './index-commits.ts';
import { childFolder, type FolderHistory, type LastCommit } from './model.ts';
import {
  deleteFolders,
  type FolderKey,
  findFolder,
  insertFolders,
  listFolderKeys,
  listIndexedCommits,
} from './store.ts';
import { HistoryWalk } from './walk.ts';

/**
 * Finds the commit that last changed each entry of a folder.
 *
 * The rule: take the first parent that has the same entry at that path. The last commit of the entry is that parent's,
 * or the commit itself if there is no such parent. (This agrees with `git log -1 -- path`.)
 *
 * A job indexes the tips of branches. From any other commit, this walks down to the next indexed one.
 */
export class LastCommits {
  readonly #database: Database;
  readonly #git: GitStorage;
  readonly #folders = createSizedCache<string, FolderHistory>({
    sizeMax: LIMITS.lastCommitEntriesCachedMax,
    sizeOf: (history) => history.size + 1,
  });
  readonly #walked = createSizedCache<string, ReadonlyMap<string, LastCommit>>({
    sizeMax: LIMITS.lastCommitEntriesCachedMax,
    sizeOf: (walked) => walked.size + 1,
  });
  readonly #passes = new KeyedLock();

  constructor(dependencies: { database: Database; git: GitStorage }) {
    this.#database = dependencies.database;
    this.#git = dependencies.git;
  }

  /**
   * @param folder path of the folder, '' for the root
   * @param names keys of the requested entries (`entryKey`); the result leaves out entries that the folder lacks
   */
  async find(
    repository: { id: RepositoryId; objects: ObjectReader },
    commit: Oid,
    folder: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, LastCommit>> {
    const indexed = await this.#findIndexed(repository.id, commit, folder);
    if (indexed !== undefined) return pick(indexed, names);
    return this.#walk(repository, commit, folder, names);
  }

  async #walk(
    repository: { id: RepositoryId; objects: ObjectReader },
    commit: Oid,
    folder: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, LastCommit>> {
    const key = `${repository.id}:${commit}:${folder}`;
    const before = this.#walked.get(key) ?? new Map<string, LastCommit>();
    const missing = names.filter((name) => !before.has(name));
    if (missing.length === 0) return before;
    const indexed = new Set(await listIndexedCommits(this.#database.reader, repository.id));
    const known = async (at: Oid) => {
      const history = indexed.has(at) ? await this.#findIndexed(repository.id, at, folder) : undefined;
      return history === undefined ? undefined : pick(history, names);
    };
    const walk = new HistoryWalk({ objects: repository.objects, folder, known });
    // A new map, because the cache measures a value only once.
    const walked = new Map([...before, ...(await walk.run(commit, missing))]);
    this.#walked.set(key, walked);
    return walked;
  }

  /** Follows rows from the root to the folder. @returns undefined if the commit is not indexed */
  async #findIndexed(
    repositoryId: RepositoryId,
    commit: Oid,
    folder: string,
  ): Promise<FolderHistory | undefined> {
    let history = await this.#load({ repositoryId, folder: '', at: commit });
    let path = '';
    for (const key of folder === '' ? [] : folder.split('/')) {
      path = childFolder(path, key);
      const at = history?.get(key)?.insideAt;
      if (at === null || at === undefined) return undefined;
      history = await this.#load({ repositoryId, folder: path, at });
    }
    return history;
  }

  async #load(key: FolderKey): Promise<FolderHistory | undefined> {
    const name = `${key.repositoryId}:${key.at}:${key.folder}`;
    const cached = this.#folders.get(name);
    if (cached !== undefined) return cached;
    const found = await findFolder(this.#database.reader, key);
    if (found !== undefined) this.#folders.set(name, found);
    return found;
  }

  /**
   * Indexes every branch whose tip is not indexed yet, and deletes rows that no branch needs. Skips a branch whose
   * trees are too large: its readers walk, which concerns only one folder.
   */
  async index(id: RepositoryId): Promise<void> {
    await this.#passes.run(String(id), async () => {
      const snapshot = await this.#git.open(id);
      const tips = [...new Set([...snapshot.refs('refs/heads/')].map(([, oid]) => oid))];
      const indexed = await listIndexedCommits(this.#database.reader, id);
      const missing = tips.filter((tip) => !indexed.includes(tip));
      if (missing.length > 0) await this.#indexWhatCanBe(snapshot, missing, indexed);
      const stale = indexed.filter((commit) => !tips.includes(commit));
      if (stale.length > LIMITS.lastCommitStaleTipsMax) await this.#forget(id, tips);
    });
  }

  async #indexWhatCanBe(snapshot: Snapshot, tips: readonly Oid[], indexed: readonly Oid[]): Promise<void> {
    try {
      await this.#indexTips(snapshot, tips, indexed);
    } catch (error) {
      if (!(error instanceof TooManyEntriesError)) throw error;
      // One branch must not prevent the indexing of the others.
      if (tips.length === 1) return;
      for (const tip of tips) await this.#indexWhatCanBe(snapshot, [tip], indexed);
    }
  }

  async #indexTips(snapshot: Snapshot, tips: readonly Oid[], indexed: readonly Oid[]): Promise<void> {
    try {
      await this.#pass(snapshot, tips, indexed);
    } catch (error) {
      // The branch starts below every indexed commit.
      if (!(error instanceof UnknownParentError)) throw error;
      await this.#pass(snapshot, tips, []);
    }
  }

  async #pass(snapshot: Snapshot, tips: readonly Oid[], indexed: readonly Oid[]): Promise<void> {
    const { id, objects } = snapshot;
    const { gitDir } = await this.#git.objectsFolder(snapshot);
    const load = (folder: string, at: Oid) => this.#load({ repositoryId: id, folder, at });
    const pass = new IndexingPass({ objects, load, tips });
    await pass.run(await listCommits(gitDir, tips, await present(objects, indexed)));
    const found = await pass.found();
    await this.#database.transaction((tx) => insertFolders(tx, id, found));
  }

  /** Deletes rows that no tip leads to. */
  async #forget(id: RepositoryId, tips: readonly Oid[]): Promise<void> {
    const needed = new Set<string>();
    const waiting: FolderKey[] = tips.map((at) => ({ repositoryId: id, folder: '', at }));
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      const name = `${key.at}:${key.folder}`;
      if (needed.has(name)) continue;
      needed.add(name);
      for (const [child, { insideAt }] of (await findFolder(this.#database.reader, key)) ?? []) {
        if (insideAt === null) continue;
        waiting.push({ repositoryId: id, folder: childFolder(key.folder, child), at: insideAt });
      }
    }
    const keys = await listFolderKeys(this.#database.reader, id);
    const idle = keys.filter((key) => !needed.has(`${key.at}:${key.folder}`));
    await this.#database.transaction((tx) => deleteFolders(tx, id, idle));
  }
}

/** Returns the commits that still exist. git rejects unknown ids, and indexed commits may have been deleted. */
async function present(objects: ObjectReader, commits: readonly Oid[]): Promise<readonly Oid[]> {
  const infos = await Promise.all(commits.map((oid) => objects.info(oid)));
  return commits.filter((_, index) => infos[index] !== undefined);
}

function pick(history: FolderHistory, names: readonly string[]): ReadonlyMap<string, LastCommit> {
  const picked = new Map<string, LastCommit>();
  for (const name of names) {
    const entry = history.get(name);
    if (entry !== undefined) picked.set(name, entry.last);
  }
  return picked;
}
