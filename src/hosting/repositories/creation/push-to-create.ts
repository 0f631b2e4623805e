import { isRepositoryLimited, type SignedIn } from '../../../api/access/viewer.ts';
import { ForgeError } from '../../../base/core/failure.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import { DEFAULT_BRANCH, type RepositoryPath } from '../model.ts';
import { repositoryNameProblem } from '../names.ts';
import type { Repositories } from '../service.ts';
import type { SiteRules } from '../site-rules.ts';
import type { CreationRequest } from './model.ts';
import type { FutureOwners } from './owners.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly owners: FutureOwners;
  readonly siteRules: SiteRules;
}

/** Finds out which repository a push creates, if the site permits that. */
export class PushToCreate {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Returns the request that a push makes to a `path` where the viewer sees no repository.
   *
   * @returns undefined if the push creates nothing. The response is then the one for a missing repository, whatever the
   *   reason: any other would reveal what is hidden
   */
  async find(viewer: SignedIn, path: RepositoryPath): Promise<CreationRequest | undefined> {
    if (!this.#use.siteRules.pushesCreate) return undefined;
    // The new repository is private, so these credentials would not see it.
    if (isRepositoryLimited(viewer) || viewer.publicOnly) return undefined;
    if (repositoryNameProblem(path.name) !== undefined) return undefined;
    const owner = await this.#findOwner(viewer, path.owner);
    if (owner === undefined || (await this.#use.repositories.findId(path)) !== undefined) return undefined;
    return { viewer, owner, wanted: { ...PUSHED, name: path.name } };
  }

  async #findOwner(viewer: SignedIn, name: string): Promise<PublicAccount | undefined> {
    try {
      return await this.#use.owners.get(viewer, name);
    } catch (error) {
      if (error instanceof ForgeError) return undefined;
      throw error;
    }
  }
}

/** The format is the one of nearly every repository: the client has not yet said which one its pack has. */
const PUSHED: Omit<CreationRequest['wanted'], 'name'> = {
  description: '',
  isPrivate: true,
  isTemplate: false,
  defaultBranch: DEFAULT_BRANCH,
  objectFormat: 'sha1',
  trustModel: 'default',
};
