import { isRepositoryLimited, type SignedIn } from '../../access/viewer.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import { ForgeError } from '../../core/failure.ts';
import { DEFAULT_BRANCH, type RepositoryPath } from '../model.ts';
import { repositoryNameProblem } from '../names.ts';
import type { Repositories } from '../service.ts';
import type { CreationRequest } from './model.ts';
import type { FutureOwners } from './owners.ts';
import type { SiteRules } from './site-rules.ts';

/** Repositories that a push makes, where the site lets it. */
export class PushToCreate {
  readonly #repositories: Repositories;
  readonly #owners: FutureOwners;
  readonly #siteRules: SiteRules;

  constructor(dependencies: { repositories: Repositories; owners: FutureOwners; siteRules: SiteRules }) {
    this.#repositories = dependencies.repositories;
    this.#owners = dependencies.owners;
    this.#siteRules = dependencies.siteRules;
  }

  /**
   * What a push to `path`, where the viewer sees nothing, would make.
   *
   * @returns undefined where it makes nothing, and is answered as if there were no such thing, whatever the reason: who
   *   may not know what is there is not told by another answer
   */
  async find(viewer: SignedIn, path: RepositoryPath): Promise<CreationRequest | undefined> {
    if (!this.#siteRules.pushesCreate) return undefined;
    // What it makes is private, so these would not see it.
    if (isRepositoryLimited(viewer) || viewer.publicOnly) return undefined;
    if (repositoryNameProblem(path.name) !== undefined) return undefined;
    const owner = await this.#findOwner(viewer, path.owner);
    if (owner === undefined || (await this.#repositories.findId(path)) !== undefined) return undefined;
    return { viewer, owner, wanted: { ...PUSHED, name: path.name } };
  }

  async #findOwner(viewer: SignedIn, name: string): Promise<PublicAccount | undefined> {
    try {
      return await this.#owners.get(viewer, name);
    } catch (error) {
      if (error instanceof ForgeError) return undefined;
      throw error;
    }
  }
}

/** Objects are named as they are in nearly every repository: its pusher has not yet said what the pack holds. */
const PUSHED: Omit<CreationRequest['wanted'], 'name'> = {
  description: '',
  isPrivate: true,
  isTemplate: false,
  defaultBranch: DEFAULT_BRANCH,
  objectFormat: 'sha1',
  trustModel: 'default',
};
