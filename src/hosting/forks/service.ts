import { whyNotByCredential } from '../../api/access/guard.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { forbidden, invalid, MovedError } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { ACCOUNT_REPOSITORIES, ORGANIZATION_REPOSITORIES, REPOSITORY } from '../repositories/actions.ts';
import type { PermittedRepository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';

/** The requested owner and name of a fork; '' counts as absent. */
interface ForkWish {
  /** absent: the viewer owns the fork */
  readonly organization?: string | undefined;
  /** absent: the parent's name */
  readonly name?: string | undefined;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly accounts: Accounts;
}

/** Lists and creates forks. */
export class Forks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async list(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<PermittedRepository>> {
    const { repository } = await this.#use.repositories.get(viewer, path, REPOSITORY.read);
    return this.#use.repositories.lists.select(viewer, { parentId: repository.id }, paging);
  }

  /**
   * Forks a repository whose code the viewer may read, for the viewer or for an organization in which the viewer may
   * create repositories.
   *
   * @throws ForgeError as `Repositories.get`, and as creating a repository for that owner; `conflict` if the owner
   *   already has a fork of it
   */
  async create(viewer: SignedIn, path: RepositoryPath, wish: ForkWish): Promise<PermittedRepository> {
    const { repository } = await this.#use.repositories.get(viewer, path, REPOSITORY.fork);
    const owner = await this.#ownerOf(viewer, wish.organization ?? '');
    const name = wish.name === undefined || wish.name === '' ? null : wish.name;
    return this.#use.repositories.fork({ viewer, owner, parentId: repository.id, name });
  }

  /** @throws ForgeError `forbidden`, `invalid`, `not_found` */
  async #ownerOf(viewer: SignedIn, organization: string): Promise<PublicAccount> {
    const isOwn = organization === '';
    // A fork creates a repository there, so it needs the same scopes.
    const why = whyNotByCredential(
      viewer,
      isOwn ? ACCOUNT_REPOSITORIES.createRepository : ORGANIZATION_REPOSITORIES.createRepository,
    );
    if (why !== undefined) throw forbidden(why);
    if (!isOwn) return this.#organization(viewer, organization);
    const owner = await this.#use.accounts.get(viewer.accountId);
    if (owner.kind !== 'user')
      throw invalid('an organization cannot fork repositories: name it as the owner instead');
    return owner;
  }

  async #organization(viewer: SignedIn, name: string): Promise<PublicAccount> {
    try {
      return await this.#use.organizations.getForNewRepository(viewer, name);
    } catch (error) {
      // The organization is named in the body, so its new name cannot become a redirect.
      throw error instanceof MovedError ? invalid('there is no such organization') : error;
    }
  }
}
