import type { OrganizationAction } from '../../api/access/actions.ts';
import { reachesRank } from '../../api/access/standing.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { conflict, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { lockUser } from '../accounts/locks.ts';
import type { ShownAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { setNeedsSecondFactor } from '../accounts/writes.ts';
import type { LostFactor } from '../second-factor/changes.ts';
import { hasFactor } from '../second-factor/changes.ts';
import { ORGANIZATION } from './actions.ts';
import { announce } from './announce.ts';
import {
  ORGANIZATION_MEMBER_ADDED,
  ORGANIZATION_MEMBER_REMOVED,
  ORGANIZATION_MEMBERSHIP_SHOWN,
} from './events.ts';
import type { MembershipChange, PermittedOrganization } from './model.ts';
import {
  deleteMember,
  findMembership,
  insertMember,
  listMembers,
  listMembersWithoutFactor,
  listOrganizationIdsOf,
  listRequiring,
  setMembershipPublic,
} from './store/members.ts';
import { lockOrganization } from './store/organizations.ts';

/** Names in an error. */
const NAMES_MAX = 10;

type GetOrganization = (
  viewer: Viewer,
  name: string,
  action: OrganizationAction,
) => Promise<PermittedOrganization>;

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly get: GetOrganization;
}

/** Members of organizations: the users in their teams. Each member decides whether the membership is public. */
export class OrganizationMembers {
  /** before a membership ends; listeners remove the member from all teams, and one that throws keeps the member */
  readonly leaving = new Signal<[tx: Tx, leaving: MembershipChange]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists the members: all of them if the viewer is a member, otherwise the public ones. */
  async list(viewer: Viewer, name: string, paging: Paging): Promise<Page<ShownAccount>> {
    const { organization, standing } = await this.#use.get(viewer, name, ORGANIZATION.listMembers);
    const onlyPublic = !reachesRank(standing, 'member');
    return listMembers(this.#use.database.reader, viewer, organization.id, { onlyPublic, paging });
  }

  async listPublic(viewer: Viewer, name: string, paging: Paging): Promise<Page<ShownAccount>> {
    const { organization } = await this.#use.get(viewer, name, ORGANIZATION.listMembers);
    return listMembers(this.#use.database.reader, viewer, organization.id, { onlyPublic: true, paging });
  }

  /**
   * Checks whether a user is a member.
   *
   * @returns `undisclosed` if the viewer is not a member, because only members see memberships that are not public
   * @throws ForgeError `not_found` if the user is not a member
   */
  async requireMember(viewer: Viewer, name: string, userName: string): Promise<'member' | 'undisclosed'> {
    const { organization, standing } = await this.#use.get(viewer, name, ORGANIZATION.listMembers);
    const account = await this.#use.accounts.getByName(viewer, userName);
    if (!reachesRank(standing, 'member')) return 'undisclosed';
    if ((await findMembership(this.#use.database.reader, organization.id, account.id)) === undefined)
      throw notFound('member');
    return 'member';
  }

  /** @throws ForgeError `not_found` if the user is not a public member */
  async requirePublicMember(viewer: Viewer, name: string, userName: string): Promise<void> {
    const { organization } = await this.#use.get(viewer, name, ORGANIZATION.listMembers);
    const account = await this.#use.accounts.getByName(viewer, userName);
    const membership = await findMembership(this.#use.database.reader, organization.id, account.id);
    if (membership?.isPublic !== true) throw notFound('member');
  }

  /**
   * Shows or hides the viewer's own membership.
   *
   * @throws ForgeError `forbidden` for another user's membership, `not_found` if the viewer is not a member
   */
  async show(viewer: Viewer, name: string, userName: string, isPublic: boolean): Promise<void> {
    const { organization } = await this.#use.get(viewer, name, ORGANIZATION.showOwnMembership);
    const { id: accountId } = await this.#use.accounts.getByName(viewer, userName);
    if (accountId !== viewer.accountId) throw forbidden('only the member may show or hide a membership');
    const organizationId = organization.id;
    await this.#use.database.transaction(async (tx) => {
      await lockOrganization(tx, organizationId);
      if ((await findMembership(tx, organizationId, accountId)) === undefined) throw notFound('member');
      if (!(await setMembershipPublic(tx, organizationId, accountId, isPublic))) return;
      const payload = { organizationId, accountId, public: isPublic };
      await announce(tx, viewer.accountId, ORGANIZATION_MEMBERSHIP_SHOWN, payload);
    });
  }

  /**
   * Removes a member from the organization and all its teams.
   *
   * @throws ForgeError as the lookup, `not_found` if the user is not a member, `invalid` for the last owner
   */
  async remove(viewer: Viewer, name: string, userName: string): Promise<void> {
    const { organization } = await this.#use.get(viewer, name, ORGANIZATION.removeMember);
    const { id: accountId } = await this.#use.accounts.getByName(viewer, userName);
    const leaving = { organizationId: organization.id, accountId, actorId: viewer.accountId };
    await this.#use.database.transaction(async (tx) => {
      await this.lock(tx, organization.id);
      if ((await findMembership(tx, organization.id, accountId)) === undefined) throw notFound('member');
      await this.leaving.notify(tx, leaving);
      await this.delete(tx, leaving);
    });
  }

  /**
   * Locks an organization, so that changes of its members run one after another.
   *
   * @throws ForgeError `not_found`
   */
  async lock(tx: Tx, organizationId: number): Promise<void> {
    if ((await lockOrganization(tx, organizationId)) === undefined) throw notFound('organization');
  }

  async isMember(tx: Tx, organizationId: number, accountId: number): Promise<boolean> {
    return (await findMembership(tx, organizationId, accountId)) !== undefined;
  }

  /**
   * Makes a user a member of a locked organization. Does nothing if the user is already a member.
   *
   * @throws ForgeError `invalid` for a user without a second factor, if the organization requires one
   */
  async add(tx: Tx, joining: MembershipChange): Promise<void> {
    const { organizationId, accountId, actorId } = joining;
    if (!(await insertMember(tx, organizationId, accountId))) return;
    await requireFactorIfRequired(tx, joining);
    await announce(tx, actorId, ORGANIZATION_MEMBER_ADDED, { organizationId, accountId });
  }

  /** Deletes a membership. The caller must have removed the user from all teams. */
  async delete(tx: Tx, leaving: MembershipChange): Promise<void> {
    const { organizationId, accountId, actorId } = leaving;
    if (!(await deleteMember(tx, organizationId, accountId))) return;
    await announce(tx, actorId, ORGANIZATION_MEMBER_REMOVED, { organizationId, accountId });
  }

  /**
   * Keeps the second factor of a member of an organization that requires one. If an administrator has removed it, the
   * member must set up another one before anything else.
   *
   * @throws ForgeError `conflict`
   */
  async keepFactorOfMember(tx: Tx, { accountId, isReset }: LostFactor): Promise<void> {
    const [name] = await listRequiring(tx, accountId, 1);
    if (name === undefined) return;
    if (!isReset)
      throw conflict(
        `${name} requires a second factor: leave that organization first, or add another factor`,
      );
    await setNeedsSecondFactor(tx, accountId);
  }

  /**
   * Requires that all members of an organization have a second factor.
   *
   * @throws ForgeError `invalid`, which names some of the members without one
   */
  async requireFactorOfAll(tx: Tx, organizationId: number): Promise<void> {
    const names = await listMembersWithoutFactor(tx, organizationId, NAMES_MAX);
    if (names.length === 0) return;
    throw invalid(`members without a second factor must set one up or leave first: ${names.join(', ')}`);
  }

  listOrganizationIdsOf(tx: Tx, accountId: number): Promise<readonly number[]> {
    return listOrganizationIdsOf(tx, accountId);
  }
}

/** The user is locked, so that no second factor is removed at the same time. */
async function requireFactorIfRequired(
  tx: Tx,
  { organizationId, accountId }: MembershipChange,
): Promise<void> {
  const rules = await lockOrganization(tx, organizationId);
  if (rules?.requiresSecondFactor !== true) return;
  await lockUser(tx, accountId);
  if (await hasFactor(tx, accountId)) return;
  throw invalid('the organization requires a second factor, which this user has not set up yet');
}
