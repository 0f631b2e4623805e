import { requireGranted, whyMissing } from '../../../api/access/guard.ts';
import { decidePlain, missingScopes } from '../../../api/access/policy.ts';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { forbidden, MovedError, notFound } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { Organizations } from '../../../people/organizations/service.ts';
import { ACCOUNT_REPOSITORIES, ORGANIZATION_REPOSITORIES, SITE_REPOSITORIES } from '../actions.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
}

/** Finds the owner that a request names for a new repository. */
export class FutureOwners {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds an account that the viewer may create repositories for, with this credential.
   *
   * @param name a current name: a former name does not redirect here
   * @throws ForgeError `not_found` (missing or hidden), `forbidden`
   */
  async get(viewer: SignedIn, name: string): Promise<PublicAccount> {
    const owner = await this.#find(viewer, name);
    const action = actionFor(viewer, owner);
    const missing = missingScopes(viewer, action.scopes);
    const why = missing.length > 0 ? whyMissing(missing) : 'you may not make repositories for this account';
    requireGranted(decidePlain(viewer, action), action, why);
    return owner.kind === 'user' ? owner : this.#use.organizations.getForNewRepository(viewer, name);
  }

  /**
   * Checks in the transaction of the creation that an owner whom `get` has returned is still one.
   *
   * @throws ForgeError `not_found`, `forbidden`
   */
  async requireStill(tx: Tx, viewer: SignedIn, { id, kind }: PublicAccount): Promise<void> {
    if (kind === 'user') return;
    const standing = await this.#use.organizations.readStanding(tx, viewer, id);
    if (standing === undefined || !standing.isVisible) throw notFound('organization');
    if (!standing.mayCreateRepositories)
      throw forbidden('you may not create repositories in this organization');
  }

  async #find(viewer: SignedIn, name: string): Promise<PublicAccount> {
    try {
      return await this.#use.accounts.getByName(viewer, name);
    } catch (error) {
      throw error instanceof MovedError ? notFound('account') : error;
    }
  }
}

function actionFor(viewer: SignedIn, owner: PublicAccount) {
  if (owner.kind === 'organization') return ORGANIZATION_REPOSITORIES.createRepository;
  return owner.id === viewer.accountId
    ? ACCOUNT_REPOSITORIES.createRepository
    : SITE_REPOSITORIES.createRepository;
}
