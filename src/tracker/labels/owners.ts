import { requireGranted } from '../../api/access/guard.ts';
import { decideInOrganization } from '../../api/access/policy.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { requireTracker } from '../../hosting/repositories/tracker.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { LABEL } from './actions.ts';
import type { LabelOwner, LabelPlace } from './model.ts';

const REPOSITORY_ACTIONS = { read: LABEL.read, change: LABEL.change };
const ORGANIZATION_ACTIONS = { read: LABEL.readOfOrganization, change: LABEL.changeOfOrganization };

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
}

/** Looks up the repositories and organizations that have labels. */
export class LabelOwners {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` and `requireTracker`, or as `Organizations.get` */
  async get(viewer: Viewer, place: LabelPlace, purpose: 'read' | 'change'): Promise<LabelOwner> {
    if (place.kind === 'organization') {
      const permitted = await this.#use.organizations.get(viewer, place.name, ORGANIZATION_ACTIONS[purpose]);
      return { kind: 'organization', organization: permitted.organization };
    }
    const action = REPOSITORY_ACTIONS[purpose];
    const permitted = await this.#use.repositories.get(viewer, place.path, action);
    return { kind: 'repository', repository: requireTracker(viewer, permitted, action) };
  }

  /**
   * Locks an owner and checks again that the viewer may change its labels.
   *
   * @throws ForgeError as `get`, and `archived`
   */
  async lock(tx: Tx, viewer: Viewer, owner: LabelOwner): Promise<void> {
    if (owner.kind === 'organization') return this.#lockOrganization(tx, viewer, owner.organization.id);
    const permitted = await this.#use.repositories.lock(tx, viewer, owner.repository.id, LABEL.change);
    requireNotArchived(requireTracker(viewer, permitted, LABEL.change));
  }

  async #lockOrganization(tx: Tx, viewer: Viewer, id: number): Promise<void> {
    await this.#use.organizations.members.lock(tx, id);
    const standing = await this.#use.organizations.readStanding(tx, viewer, id);
    if (standing === undefined) throw notFound('organization');
    const action = LABEL.changeOfOrganization;
    requireGranted(decideInOrganization(viewer, action, standing), action);
  }
}
