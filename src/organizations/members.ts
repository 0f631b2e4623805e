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

/** Who belongs to an organization: whoever is in one of its teams. Each member decides whether everybody sees it. */
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

  /** Members see all of them, others those who show it. */
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
   * @returns `not told` where only members are told of members who do not show it
   * @throws ForgeError `not_found` for who is none
   */
  async requireMember(viewer: Viewer, name: string, userName: string): Promise<'member' | 'not told'> {
    const { organization, standing } = await this.#get(viewer, name, ORGANIZATION.listMembers);
    const account = await this.#accounts.getByName(viewer, userName);
    if (!reachesRank(standing, 'member')) return 'not told';
    if ((await findMembership(this.#database.reader, organization.id, account.id)) === undefined)
      throw notFound('member');
    return 'member';
  }

  /** @throws ForgeError `not_found` for who is no member or does not show it */
  async requirePublicMember(viewer: Viewer, name: string, userName: string): Promise<void> {
    const { organization } = await this.#get(viewer, name, ORGANIZATION.listMembers);
    const account = await this.#accounts.getByName(viewer, userName);
    const membership = await findMembership(this.#database.reader, organization.id, account.id);
    if (membership?.isPublic !== true) throw notFound('member');
  }

  /** @throws ForgeError `forbidden` for anybody else's membership, `not_found` for who is no member */
  async show(viewer: Viewer, name: string, userName: string, isPublic: boolean): Promise<void> {
    const { organization } = await this.#get(viewer, name, ORGANIZATION.showOwnMembership);
    const { id: accountId } = await this.#accounts.getByName(viewer, userName);
    if (accountId !== viewer.accountId) throw forbidden('members decide for themselves who sees it');
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
   * Takes a member out of the organization and of all its teams.
   *
   * @throws ForgeError as the look-up, `not_found` for who is no member, `invalid` for the last owner
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
   * Whatever changes who belongs to an organization does so one after the other.
   *
   * @throws ForgeError `not_found`
   */
  async lock(tx: Tx, organizationId: number): Promise<void> {
    if ((await lockOrganization(tx, organizationId)) === undefined) throw notFound('organization');
  }

  /** Makes a user a member; one who is a member stays it. */
  async add(tx: Tx, joining: MemberLeaving): Promise<void> {
    const { organizationId, accountId, actorId } = joining;
    if (!(await insertMember(tx, organizationId, accountId))) return;
    await announce(tx, actorId, ORGANIZATION_MEMBER_ADDED, { organizationId, accountId });
  }

  /** Ends a membership, and that alone: for whoever has taken the user out of all teams. */
  async delete(tx: Tx, leaving: MemberLeaving): Promise<void> {
    const { organizationId, accountId, actorId } = leaving;
    if (!(await deleteMember(tx, organizationId, accountId))) return;
    await announce(tx, actorId, ORGANIZATION_MEMBER_REMOVED, { organizationId, accountId });
  }

  listOrganizationIdsOf(tx: Tx, accountId: number): Promise<readonly number[]> {
    return listOrganizationIdsOf(tx, accountId);
  }
}
