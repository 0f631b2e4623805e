import type { Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, MovedError, notFound } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { requirePermitted } from '../repositories/authorize.ts';
import { getForGit } from '../repositories/git-clients.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import type { Pushable } from '../repositories/refs/push-rules.ts';
import type { Pushes } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { insertWikiIntent, setWiki, setWikiBranch } from '../repositories/writes.ts';
import { WIKI } from './actions.ts';
import { editingOf, pushableOf, settingsOf } from './authorize.ts';
import type { CopiedWiki, PendingWiki, Wiki, WikiForm } from './model.ts';

/** In an address, a name with this ending means the wiki. No repository can have such a name. */
const ENDING = /\.wiki$/i;

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly repositories: Repositories;
  readonly wikiPushes: Pushes;
}

/** Another request has made the wiki of the same repository: the one of this request was not needed. */
export class WikiAppearedError extends ForgeError {
  constructor() {
    const what = 'the wiki was created at the same time: try again';
    super({ kind: 'busy', what, retryAfterSeconds: 1 });
  }
}

/** Finds the wikis of repositories, and makes their git repositories. */
export class Wikis {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Looks up the wiki of a repository and authorizes an action on it.
   *
   * @throws ForgeError as `Repositories.get`; `not_found` for a wiki that is switched off, or on another server
   */
  async get(
    viewer: Viewer,
    path: RepositoryPath,
    action: typeof WIKI.read | typeof WIKI.beginEdit,
  ): Promise<Wiki> {
    const permitted = await this.#use.repositories.get(viewer, path, WIKI.read);
    const settings = settingsOf(permitted.repository);
    if (settings === undefined) throw notFound('wiki');
    if (action !== WIKI.read) requirePermitted(viewer, permitted, editingOf(settings));
    return { permitted, settings, id: permitted.repository.wikiId };
  }

  /**
   * Looks up the wiki in an address of git.
   *
   * @param path whose name may end with `.wiki`
   * @returns undefined if the address does not name a wiki
   * @throws ForgeError as `getForGit`; `forbidden` for a wiki that is switched off, or on another server
   */
  async findForGit(
    viewer: Viewer,
    path: RepositoryPath,
    action: 'fetch' | 'push',
  ): Promise<Wiki | undefined> {
    if (!ENDING.test(path.name)) return undefined;
    const repositoryPath = { owner: path.owner, name: path.name.replace(ENDING, '') };
    const permitted = await getForGit(this.#use.repositories, viewer, repositoryPath, WIKI.read).catch(
      rethrowMovedWiki,
    );
    const { repository } = permitted;
    const settings = settingsOf(repository);
    if (settings === undefined) throw forbidden('this repository has no wiki here');
    if (action === 'push') {
      this.requireOpen(repository);
      requirePermitted(viewer, permitted, editingOf(settings));
    }
    return { permitted, settings, id: repository.wikiId };
  }

  /** @throws ForgeError `archived`, `forbidden` (a mirror) */
  requireOpen(repository: Repository): void {
    const facts = pushableOf(repository, repository.wikiId ?? repository.id);
    this.#use.wikiPushes.requireOpen({ repository: facts, origin: { kind: 'api' } });
  }

  /** Makes the git repository of a wiki, which the first push gives to the repository. */
  async begin(repository: Repository): Promise<PendingWiki> {
    const { objectFormat } = repository;
    const id = await this.#create({ objectFormat, branch: settingsOf(repository)?.branch ?? '' });
    return {
      pushable: pushableOf(repository, id),
      publish: (tx) => adopt(tx, repository.id, id),
      [Symbol.asyncDispose]: () => this.#use.repositories.creation.abandon(id),
    };
  }

  /** Makes the git repository of a wiki that is copied together with its repository, which does not exist yet. */
  async beginCopy(
    form: WikiForm,
    about: Pick<Pushable, 'owner' | 'name' | 'isPrivate'>,
  ): Promise<CopiedWiki> {
    const id = await this.#create(form);
    return {
      pushable: { ...about, id, defaultBranch: form.branch, archivedAt: null, isMirror: false },
      async adopt(tx, repositoryId) {
        await adopt(tx, repositoryId, id);
        await setWikiBranch(tx, repositoryId, form.branch);
      },
      [Symbol.asyncDispose]: () => this.#use.repositories.creation.abandon(id),
    };
  }

  #create({ objectFormat, branch }: WikiForm): Promise<RepositoryId> {
    return this.#use.database.transaction(async (tx) => {
      const id = await insertWikiIntent(tx, currentTimeMs());
      await this.#use.git.refs.create(id, { head: branchRef(branch), objectFormat }, tx);
      return id;
    });
  }
}

/** @throws WikiAppearedError */
async function adopt(tx: Tx, repositoryId: RepositoryId, wikiId: RepositoryId): Promise<void> {
  if (!(await setWiki(tx, repositoryId, wikiId))) throw new WikiAppearedError();
}

/** The address of the wiki moves with the repository. */
function rethrowMovedWiki(error: unknown): never {
  if (!(error instanceof MovedError)) throw error;
  const [owner, name] = error.names;
  if (owner === undefined || name === undefined) throw error;
  throw new MovedError('wiki', owner, { from: `${name.from}.wiki`, to: `${name.to}.wiki` });
}
