import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import type { SiteRules } from '../repositories/site-rules.ts';
import { REPOSITORY_FLAGS_CHANGED } from './events.ts';
import { FLAG_LIMITS } from './limits.ts';
import { deleteFlags, insertFlags, listFlags } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly siteRules: SiteRules;
}

/** Names that site administrators give to repositories, for the tools of the operator. Flags change nothing else. */
export class Flags {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `not_found` */
  async list(viewer: SignedIn, path: RepositoryPath, paging: Paging): Promise<Page<string>> {
    const flags = await this.#all(viewer, path);
    const offset = offsetOf(paging);
    return { items: flags.slice(offset, offset + paging.limit), total: flags.length };
  }

  /** @throws ForgeError `not_found` if the repository lacks the flag */
  async require(viewer: SignedIn, path: RepositoryPath, name: string): Promise<void> {
    if (!(await this.#all(viewer, path)).includes(name)) throw notFound('flag');
  }

  /**
   * Replaces all flags of a repository.
   *
   * @throws ForgeError `not_found`, `invalid`
   */
  async replace(viewer: SignedIn, path: RepositoryPath, names: readonly string[]): Promise<void> {
    await this.#change(viewer, path, () => names);
  }

  /** @throws ForgeError as `replace` */
  async add(viewer: SignedIn, path: RepositoryPath, name: string): Promise<void> {
    await this.#change(viewer, path, (present) => [...present, name]);
  }

  /** Removes a flag, or does nothing if the repository lacks it. @throws ForgeError `not_found` */
  async remove(viewer: SignedIn, path: RepositoryPath, name: string): Promise<void> {
    await this.#change(viewer, path, (present) => present.filter((each) => each !== name));
  }

  async #all(viewer: SignedIn, path: RepositoryPath): Promise<readonly string[]> {
    return listFlags(this.#use.database.reader, await this.#find(viewer, path));
  }

  async #find(viewer: SignedIn, path: RepositoryPath): Promise<RepositoryId> {
    if (!this.#use.siteRules.allowsFlags) throw notFound('flags on this server');
    return (await this.#use.repositories.get(viewer, path, REPOSITORY.read)).repository.id;
  }

  async #change(
    viewer: SignedIn,
    path: RepositoryPath,
    next: (present: readonly string[]) => readonly string[],
  ): Promise<void> {
    const id = await this.#find(viewer, path);
    await this.#use.database.transaction(async (tx) => {
      await this.#use.repositories.lock(tx, viewer, id, REPOSITORY.read);
      const before = await listFlags(tx, id);
      const flags = [...new Set(next(before))].sort();
      requireFlags(flags);
      const added = flags.filter((name) => !before.includes(name));
      const removed = before.filter((name) => !flags.includes(name));
      if (added.length + removed.length === 0) return;
      await insertFlags(tx, id, added, currentTimeMs());
      await deleteFlags(tx, id, removed);
      await insertEvent(tx, REPOSITORY_FLAGS_CHANGED, {
        actorId: viewer.accountId,
        repositoryId: id,
        payload: { flags },
        former: { flags: before },
      });
    });
  }
}

/** @throws ForgeError `invalid` */
function requireFlags(names: readonly string[]): void {
  if (names.length > FLAG_LIMITS.flagsPerRepositoryMax)
    throw invalid(`a repository has at most ${FLAG_LIMITS.flagsPerRepositoryMax} flags`);
  const isFlag = (name: string) =>
    name !== '' && name.length <= FLAG_LIMITS.flagCharsMax && isPlainLine(name);
  if (!names.every(isFlag))
    throw invalid(`a flag is one line of at most ${FLAG_LIMITS.flagCharsMax} characters`);
}
