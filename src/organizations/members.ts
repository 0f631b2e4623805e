import type { OrganizationAction } from '../access/actions.ts';
import { reachesRank } from '../access/standing.ts';
import type { Viewer } from '../access/viewer.ts';
import type { PublicAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { forbidden, notFound } from '../core/failure.ts';
import type { Page, Paging } from '../core/paging.ts';
import { Signal } from '../core/signal.ts';
import type { Database, Tx } from '../database/database.ts';
import { ORGANIZATION } from './actions.ts';
import { announce } from './announce.ts';
import {
  ORGANIZATION_MEMBER_ADDED,
  ORGANIZATION_MEMBER_REMOVED,
  ORGANIZATION_MEMBERSHIP_SHOWN,
} from './events.ts';
import type { HeldOrganization, MemberLeaving } from './model.ts';
import {
  deleteMember,
  findMembership,
  insertMember,
  listMembers,
  listOrganizationIdsOf,
  setMembershipShown,
} from './store/members.ts';
import { lockOrganization } from './store/organizations.ts';

type Look = (viewer: Viewer, name: string, action: OrganizationAction) => Promise<HeldOrganization>;

/** Members of organizations: the users in its teams. Each member decides whether the membership is public. */
export class OrganizationMembers {
  /** before a member is removed from all teams; a listener that throws keeps the member */
  readonly leaving = new Signal<[tx: Tx, leaving: MemberLeaving]>();
  readonly #database: Database;
  readonly #accounts: Accounts;
  readonly #get: Look;

  constructor(dependencies: { database: Database; accounts: Accounts; get: Look }) {
    this.#database = dependencies.database;
    this.#accounts = dependencies.accounts;
    this.#get = dependencies.get;
  }

  /** Lists all members for members, public ones for others. */
  async list(viewer: Viewer, name: string, paging: Paging): Promise<Page<PublicAccount>> {
    const { organization, standing } = await this.#get(viewer, name, ORGANIZATION.listMembers);
    const onlyPublic = !reachesRank(standing, 'member');
    return listMembers(this.#database.reader, viewer, organization.id, { onlyPublic, paging });
  }

  async listPublic(viewer: Viewer, name: string, paging: Paging): Promise<Page<PublicAccount>> {
    const { organization } = await this.#get(viewer, name, ORGANIZATION.listMembers);
    return listMembers(this.#database.reader, viewer, organization.id, { onlyPublic: true, paging });
  }

  /**
   * Checks whether a user is a member.
   *
   * @returns `undisclosed` if the viewer is not a member, who may see only public memberships
   * @throws ForgeError `not_found` if the user is not a member
   */
  async requireMember(viewer: Viewer, name: string, userName: string): Promise<'member' | 'undisclosed'> {
    const { organization, standing } = await this.#get(viewer, name, ORGANIZATION.listMembers);
    const account = await this.#accounts.getByName(viewer, userName);
    if (!reachesRank(standing, 'member')) return 'undisclosed';
    if ((await findMembership(this.#database.reader, organization.id, account.id)) === undefined)
      throw notFound('member');
    return 'member';
  }

  /** @throws ForgeError `not_found` if the user is not a public member */
  async requirePublicMember(viewer: Viewer, name: string, userName: string): Promise<void> {
    const { organization } = await this.#get(viewer, name, ORGANIZATION.listMembers);
    const account = await this.#accounts.getByName(viewer, userName);
    const membership = await findMembership(this.#database.reader, organization.id, account.id);
    if (membership?.isPublic !== true) throw notFound('member');
  }

  /** @throws ForgeError `forbidden` for another user's membership, `not_found` if the viewer is not a member */
  async show(viewer: Viewer, name: string, userName: string, isPublic: boolean): Promise<void> {
    const { organization } = await this.#get(viewer, name, ORGANIZATION.showOwnMembership);
    const { id: accountId } = await this.#accounts.getByName(viewer, userName);
    if (accountId !== viewer.accountId) throw forbidden('only the member may change who sees a membership');
    const organizationId = organization.id;
    await this.#database.transaction(async (tx) => {
      await lockOrganization(tx, organizationId);
      if ((await findMembership(tx, organizationId, accountId)) === undefined) throw notFound('member');
      if (!(await setMembershipShown(tx, organizationId, accountId, isPublic))) return;
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
    const { organization } = await this.#get(viewer, name, ORGANIZATION.removeMember);
    const { id: accountId } = await this.#accounts.getByName(viewer, userName);
    const leaving = { organizationId: organization.id, accountId, actorId: viewer.accountId };
    await this.#database.transaction(async (tx) => {
      await this.lock(tx, organization.id);
      if ((await findMembership(tx, organization.id, accountId)) === undefined) throw notFound('member');
      await this.leaving.notify(tx, leaving);
      await this.delete(tx, leaving);
    });
  }

  /**
   * Locks an organization, so that changes of its members run one after the other.
   *
   * @throws ForgeError `not_found`
   */
  async lock(tx: Tx, organizationId: number): Promise<void> {
    if ((await lockOrganization(tx, organizationId)) === undefined) throw notFound('organization');
  }

  /** Makes a user a member. Does nothing if the user is one. */
  async add(tx: Tx, joining: MemberLeaving): Promise<void> {
    const { organizationId, accountId, actorId } = joining;
    if (!(await insertMember(tx, organizationId, accountId))) return;
    await announce(tx, actorId, ORGANIZATION_MEMBER_ADDED, { organizationId, accountId });
  }

  /** Deletes a membership. The caller has removed the user from all teams. */
  async delete(tx: Tx, leaving: MemberLeaving): Promise<void> {
    const { organizationId, accountId, actorId } = leaving;
    if (!(await deleteMember(tx, organizationId, accountId))) return;
    await announce(tx, actorId, ORGANIZATION_MEMBER_REMOVED, { organizationId, accountId });
  }

  listOrganizationIdsOf(tx: Tx, accountId: number): Promise<readonly number[]> {
    return listOrganizationIdsOf(tx, accountId);
  }
}
