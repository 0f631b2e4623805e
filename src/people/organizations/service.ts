import type { OrganizationAction } from '../../api/access/actions.ts';
import { requireGranted } from '../../api/access/guard.ts';
import { decideInOrganization } from '../../api/access/policy.ts';
import { reachesRank, type Standing } from '../../api/access/standing.ts';
import { BY_PASSWORD, type SignedIn, type Viewer, viewerOf } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, MovedError, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import {
  type Database,
  type Db,
  isForeignKeyViolation,
  isUniqueViolation,
  type Tx,
} from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { formerValues } from '../../base/events/model.ts';
import {
  changeOrganizationAccount,
  createOrganizationAccount,
  lockOrganizationAccount,
  removeOrganizationAccount,
  renameAccount,
} from '../accounts/changes.ts';
import { lockRequirements } from '../accounts/locks.ts';
import type { Account } from '../accounts/model.ts';
import { isPossibleAccountName } from '../accounts/names.ts';
import { requireValidProfile } from '../accounts/profile.ts';
import type { Accounts } from '../accounts/service.ts';
import { ORGANIZATION } from './actions.ts';
import { announce } from './announce.ts';
import {
  ORGANIZATION_CHANGED,
  ORGANIZATION_CREATED,
  ORGANIZATION_DELETED,
  ORGANIZATION_RENAMED,
  ORGANIZATION_VISIBILITY_CHANGED,
} from './events.ts';
import { OrganizationMembers } from './members.ts';
import type {
  CreatedOrganization,
  NewOrganization,
  Organization,
  OrganizationEdit,
  OrganizationRemoval,
  PermittedOrganization,
} from './model.ts';
import {
  findOrganization,
  findStanding,
  insertOrganization,
  listOrganizationsById,
  listOrganizationsOf,
  listVisibleOrganizations,
  lockOrganization,
  setRules,
} from './store/organizations.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
}

export class Organizations {
  readonly members: OrganizationMembers;
  readonly created = new Signal<[tx: Tx, created: CreatedOrganization]>();
  /** before an organization is deleted together with what it owns; listeners delete what it owns */
  readonly purged = new Signal<[tx: Tx, removal: OrganizationRemoval]>();
  /** before any organization is deleted, whether it owned something or not */
  readonly removed = new Signal<[tx: Tx, removal: OrganizationRemoval]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.members = new OrganizationMembers({ ...dependencies, get: this.get.bind(this) });
  }

  /**
   * Looks up an organization and authorizes `action` on it, in one call.
   *
   * @throws ForgeError `not_found` (missing or hidden; as `MovedError` if it has a new name),
   *   `unauthenticated`, `forbidden`
   */
  async get(viewer: Viewer, name: string, action: OrganizationAction): Promise<PermittedOrganization> {
    const found = await this.#find(viewer, name);
    if (found === undefined) return this.#throwMoved(viewer, name);
    requireGranted(decideInOrganization(viewer, action, found.standing), action);
    return found;
  }

  /**
   * Returns the organization for a new repository, if the viewer may create one there.
   *
   * @throws ForgeError `invalid` if it is missing, `not_found` if it is hidden, `forbidden` without the right
   */
  async getForNewRepository(viewer: SignedIn, name: string): Promise<Organization> {
    const found = await this.#find(viewer, name);
    if (found === undefined) {
      if ((await this.#use.accounts.findNewName(name)) !== undefined) return this.#throwMoved(viewer, name);
      throw invalid('the organization does not exist');
    }
    const { organization, standing } = found;
    if (!standing.isVisible) throw notFound('organization');
    if (!standing.mayCreateRepositories) {
      throw forbidden('you may not create repositories in this organization');
    }
    return organization;
  }

  async #find(viewer: Viewer, name: string): Promise<PermittedOrganization | undefined> {
    return isPossibleAccountName(name)
      ? findOrganization(this.#use.database.reader, viewer, name)
      : undefined;
  }

  /** @throws ForgeError `not_found`, always; as `MovedError` if the viewer may see the new name */
  async #throwMoved(viewer: Viewer, name: string): Promise<never> {
    const to = await this.#use.accounts.findNewName(name);
    const found = to === undefined ? undefined : await this.#find(viewer, to);
    if (to === undefined || found === undefined || !found.standing.isVisible) throw notFound('organization');
    throw new MovedError('organization', { from: name, to });
  }

  /** Reads the viewer's standing in an organization; undefined if the organization is missing. */
  readStanding(db: Db, viewer: Viewer, id: number): Promise<Standing | undefined> {
    return findStanding(db, viewer, id);
  }

  /** Whether the viewer decides for the organization: as one of its owners, or as a site administrator. */
  async isOwnedBy(tx: Tx, viewer: Viewer, id: number): Promise<boolean> {
    const standing = await findStanding(tx, viewer, id);
    return standing !== undefined && reachesRank(standing, 'owner');
  }

  /**
   * Requires that the viewer, who owns a repository of the organization at least by a team, may delete it.
   *
   * @throws ForgeError `forbidden`
   */
  async requireMayDelete(tx: Tx, viewer: Viewer, id: number): Promise<void> {
    const rules = await lockOrganization(tx, id);
    if (rules?.teamAdminsDelete === true || (await this.isOwnedBy(tx, viewer, id))) return;
    throw forbidden(
      'only owners of the organization may delete its repositories, unless it allows teams to do so',
    );
  }

  /** Lists the visible organizations by name. */
  list(viewer: Viewer, paging: Paging): Promise<Page<Organization>> {
    return listVisibleOrganizations(this.#use.database.reader, viewer, paging);
  }

  /** @throws ForgeError `not_found` */
  async listOf(viewer: Viewer, name: string, paging: Paging): Promise<Page<Organization>> {
    const { id } = await this.#use.accounts.getByName(viewer, name);
    return listOrganizationsOf(this.#use.database.reader, viewer, id, paging);
  }

  listOwn(viewer: SignedIn, paging: Paging): Promise<Page<Organization>> {
    return listOrganizationsOf(this.#use.database.reader, viewer, viewer.accountId, paging);
  }

  /** Lists organizations by id, without authorization, for records that refer to them. */
  listById(ids: readonly number[]): Promise<readonly Organization[]> {
    return listOrganizationsById(this.#use.database.reader, ids);
  }

  /**
   * Returns the standing that a user has in an organization through its teams alone. Members, site administrators and
   * the user may read it.
   *
   * @throws ForgeError `not_found`, `forbidden`
   */
  async getStanding(viewer: Viewer, userName: string, name: string): Promise<Standing> {
    const account = await this.#use.accounts.getByName(viewer, userName);
    const { standing, organization } = await this.get(viewer, name, ORGANIZATION.read);
    const isOwn = account.id === viewer.accountId;
    if (!isOwn && !standing.isMember && !viewer.isAdmin) {
      throw forbidden('only members of the organization may see the permissions of others');
    }
    const self = viewerOf({ ...account, isAdmin: false }, BY_PASSWORD);
    const found = await findOrganization(this.#use.database.reader, self, organization.name);
    if (found === undefined) throw notFound('organization');
    return found.standing;
  }

  /** @throws ForgeError `invalid`, `already_exists`, `forbidden` if the viewer may not create organizations */
  async create(viewer: SignedIn, fields: NewOrganization): Promise<Organization> {
    const owner = await this.#use.accounts.get(viewer.accountId);
    if (!owner.isAdmin && !owner.mayCreateOrganizations) throw forbidden('you may not create organizations');
    return this.createFor(viewer, owner, fields);
  }

  /**
   * Creates an organization that `owner` owns.
   *
   * @throws ForgeError `invalid`, `already_exists`, `forbidden`
   */
  async createFor(
    viewer: SignedIn,
    owner: Pick<Account, 'id' | 'kind'>,
    fields: NewOrganization,
  ): Promise<Organization> {
    if (owner.kind !== 'user') throw invalid('an organization cannot own another one');
    requireValid(fields);
    const {
      visibility = 'public',
      repositoryAdminsChangeTeams = false,
      teamAdminsDelete = false,
      requiresSecondFactor = false,
    } = fields;
    const rules = { repositoryAdminsChangeTeams, teamAdminsDelete, requiresSecondFactor };
    if (viewer.publicOnly && visibility !== 'public')
      throw forbidden('token scope is limited to public organizations');
    const actorId = viewer.accountId;
    return this.#use.database
      .transaction(async (tx) => {
        const edit = profileOf(fields);
        const account = await createOrganizationAccount(tx, { name: fields.name, visibility, edit });
        await insertOrganization(tx, account.id, rules);
        const about = { organizationId: account.id };
        await announce(tx, actorId, ORGANIZATION_CREATED, { ...about, name: account.name, visibility });
        await this.created.notify(tx, { ...about, ownerId: owner.id, actorId });
        return { ...account, ...rules };
      })
      .catch(rethrowGone('account'))
      .catch((error) => rethrowTaken(error, fields.name));
  }

  /** @throws ForgeError as `get`, and `invalid` */
  async edit(viewer: Viewer, name: string, edit: OrganizationEdit): Promise<Organization> {
    requireValid(edit);
    const { organization } = await this.get(viewer, name, ORGANIZATION.edit);
    return this.#use.database.transaction(async (tx) => {
      if (edit.requiresSecondFactor === true) await lockRequirements(tx, 'to change them');
      const { before, after, changed } = await changeOrganizationAccount(
        tx,
        { id: organization.id, edit: profileOf(edit), actorId: viewer.accountId },
        this.#use.accounts.visibilityChanged,
      );
      const known = await lockOrganization(tx, after.id);
      if (known === undefined) throw notFound('organization');
      const {
        repositoryAdminsChangeTeams = known.repositoryAdminsChangeTeams,
        teamAdminsDelete = known.teamAdminsDelete,
        requiresSecondFactor = known.requiresSecondFactor,
      } = edit;
      const rules = { repositoryAdminsChangeTeams, teamAdminsDelete, requiresSecondFactor };
      const names = ['repositoryAdminsChangeTeams', 'teamAdminsDelete', 'requiresSecondFactor'] as const;
      const changedRules = names.filter((name) => rules[name] !== known[name]);
      if (requiresSecondFactor && !known.requiresSecondFactor)
        await this.members.requireFactorOfAll(tx, after.id);
      if (changedRules.length > 0) await setRules(tx, after.id, rules);
      const all = [...changed, ...changedRules];
      const rulesBefore = formerValues(known, names);
      await announceEdit(tx, viewer.accountId, {
        before: { ...before, ...rulesBefore },
        after: { ...after, ...rules },
        changed: all,
      });
      return { ...after, ...rules };
    });
  }

  /** @throws ForgeError as `get`, and `invalid`, `already_exists` */
  async rename(viewer: Viewer, name: string, newName: string): Promise<void> {
    const { organization } = await this.get(viewer, name, ORGANIZATION.edit);
    await this.#use.database
      .transaction(async (tx) => {
        const renamed = await renameAccount(tx, { id: organization.id, to: newName });
        if (renamed === null) return;
        await announce(tx, viewer.accountId, ORGANIZATION_RENAMED, {
          organizationId: organization.id,
          from: renamed.from,
          to: newName,
        });
      })
      .catch((error) => rethrowTaken(error, newName));
  }

  /** @throws ForgeError as `get`, and `invalid` if it still owns repositories */
  async delete(viewer: Viewer, name: string): Promise<void> {
    const { organization } = await this.get(viewer, name, ORGANIZATION.delete);
    await this.#use.database
      .transaction(async (tx) => {
        await lockOrganizationAccount(tx, organization.id);
        await this.#remove(tx, organization, viewer.accountId);
      })
      .catch((error) => {
        if (!isForeignKeyViolation(error)) throw error;
        const what = 'the organization owns repositories: delete or transfer them first';
        throw new ForgeError({ kind: 'invalid', what }, { cause: error });
      });
  }

  /** Deletes an organization together with everything that it owns. */
  async purge(tx: Tx, organizationId: number, actorId: number | null): Promise<void> {
    const [organization] = await listOrganizationsById(tx, [organizationId]);
    if (organization === undefined) throw notFound('organization');
    await this.purged.notify(tx, { organization, actorId });
    await this.#remove(tx, organization, actorId);
  }

  async #remove(
    tx: Tx,
    organization: OrganizationRemoval['organization'],
    actorId: number | null,
  ): Promise<void> {
    const { id, name } = organization;
    await this.removed.notify(tx, { organization, actorId });
    await removeOrganizationAccount(tx, id);
    await announce(tx, actorId, ORGANIZATION_DELETED, { organizationId: id, name });
  }
}

/** Returns the fields of an edit that belong to the organization's account. */
function profileOf(edit: OrganizationEdit): OrganizationEdit {
  const { fullName, email, description, website, location, visibility } = edit;
  return { fullName, email, description, website, location, visibility };
}

/** @throws ForgeError `invalid` */
function requireValid(edit: OrganizationEdit): void {
  const profile = profileOf(edit);
  // Unlike a user, an organization can remove its e-mail address.
  requireValidProfile(profile.email === '' ? { ...profile, email: undefined } : profile);
}

async function announceEdit(
  tx: Tx,
  actorId: number | null,
  edit: { before: Account; after: Account; changed: readonly string[] },
): Promise<void> {
  const { before, after, changed } = edit;
  if (changed.length === 0) return;
  const organizationId = after.id;
  await announce(
    tx,
    actorId,
    ORGANIZATION_CHANGED,
    { organizationId, changed },
    { former: formerValues(before, changed), audit: { new: formerValues(after, changed) } },
  );
  if (before.visibility === after.visibility) return;
  const values = { from: before.visibility, to: after.visibility };
  await announce(tx, actorId, ORGANIZATION_VISIBILITY_CHANGED, { organizationId, ...values });
}

function rethrowTaken(error: unknown, name: string): never {
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'already_exists', what: `user already exists [name: ${name}]` },
    { cause: error },
  );
}
