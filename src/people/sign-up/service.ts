import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import { Allowance } from '../../base/core/fairness/allowance.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { AccountMails } from '../account-links/mails.ts';
import type { AccountLink } from '../account-links/model.ts';
import type { AccountLinks } from '../account-links/service.ts';
import { type Actor, actorId, requireAdministration } from '../accounts/actor.ts';
import { insertUserWithEvent } from '../accounts/create-account.ts';
import type { Account } from '../accounts/model.ts';
import { requirePassword } from '../accounts/profile.ts';
import type { Accounts } from '../accounts/service.ts';
import { TEAM } from '../teams/actions.ts';
import type { Teams } from '../teams/service.ts';
import { INVITATION } from './actions.ts';
import { INVITATION_CREATED, INVITATION_DELETED } from './events.ts';
import { SIGN_UP_LIMITS } from './limits.ts';
import type { Invitation, SignUpSettings, SignUpStep, TypedSignUp } from './model.ts';
import { maySignUp, requireUsableName, signUpAddress } from './rules.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly teams: Teams;
  readonly accountLinks: AccountLinks;
  readonly accountMails: AccountMails;
  readonly signUpSettings: SignUpSettings;
}

/** Accounts that people create themselves, by the rules of the operator. */
export class SignUp {
  readonly #use: Dependencies;
  readonly #forms = new Allowance({
    what: 'sign-ups',
    unitsMax: SIGN_UP_LIMITS.signUpsPerNetworkMax,
    periodMs: SIGN_UP_LIMITS.signUpsMs,
    callersRememberedMax: SIGN_UP_LIMITS.networksRememberedMax,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Whether people can sign up without an invitation. */
  get isOpen(): boolean {
    const { mode } = this.#use.signUpSettings;
    return mode === 'open' || mode === 'domain';
  }

  /**
   * Begins a sign-up. With mail, the account is created by the link that is sent to its address. Without mail, it waits for
   * an administrator. The response and the work are the same for an address that already has an account.
   *
   * @throws ForgeError `forbidden` if sign-up is closed, or closed for the address; `invalid`, `bad_request`; `busy`
   */
  async start({ name, email, password }: TypedSignUp): Promise<SignUpStep> {
    if (!this.isOpen) throw forbidden('sign-up is closed: ask an administrator for an account');
    this.#forms.spend(1);
    const address = this.#requireAllowed(email);
    await this.#requireFreeName(name);
    requirePassword(password);
    const { database, accounts, accountLinks, accountMails } = this.#use;
    const passwordHash = await accounts.passwords.hash(password);
    if (!accountMails.isOn) {
      await this.#insertWaiting({ name, email: address }, passwordHash);
      return 'waits-for-administrator';
    }
    await database.transaction(async (tx) => {
      const link = await accountLinks.make(tx, { purpose: 'sign-up', email: address, name, passwordHash });
      await accountMails.sendLink(tx, link);
    });
    return 'mailed';
  }

  /** Creates an account that cannot sign in until an administrator activates it. */
  async #insertWaiting(fields: { name: string; email: string }, passwordHash: string): Promise<void> {
    try {
      await this.#use.database.transaction((tx) =>
        insertUserWithEvent(tx, null, { ...fields, password: null, isActive: false }, passwordHash),
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Of the name and the address, only the name may be known to be taken.
      await this.#requireFreeName(fields.name);
    }
  }

  /** Finds the link of a sign-up. @throws ForgeError `not_found` */
  async findSignUp(token: string): Promise<AccountLink> {
    const link = await this.#use.accountLinks.find(token, 'sign-up');
    if (!maySignUp(link.email, this.#use.signUpSettings)) throw notFound('link');
    return link;
  }

  /**
   * Creates the account of a sign-up, whose owner has proved the address.
   *
   * @param name of the sign-up, or another one if that is taken meanwhile
   * @throws ForgeError as `findSignUp`; `invalid` for a name that cannot be used; `already_exists` if another account has the
   *   address meanwhile
   */
  async finish(token: string, name: string): Promise<Account> {
    const link = await this.findSignUp(token);
    if (link.passwordHash === null) throw notFound('link');
    requireUsableName(name);
    return this.#create(link, { name, passwordHash: link.passwordHash });
  }

  /**
   * Invites the owner of an address. Mails the link, if the server sends mail.
   *
   * @param invited.teamId team that the user joins; null for none
   * @throws ForgeError `unauthenticated`; `forbidden`, also if sign-up is off; `invalid`; `not_found` for the team;
   *   `already_exists` if an account has the address
   */
  async invite(
    actor: Actor,
    invited: { readonly email: string; readonly teamId: number | null },
  ): Promise<Invitation> {
    requireAdministration(actor, INVITATION.create);
    this.#requireInvitations();
    const { database, accounts, teams, accountLinks, accountMails } = this.#use;
    const email = signUpAddress(invited.email);
    if ((await accounts.emails.findOwner(email)) !== undefined)
      throw new ForgeError({ kind: 'already_exists', what: `an account has the e-mail address ${email}` });
    const { teamId } = invited;
    if (teamId !== null && actor !== 'operator') await teams.get(actor, teamId, TEAM.changeMembers);
    const link = await database.transaction(async (tx) => {
      const made = await accountLinks.make(tx, {
        purpose: 'invitation',
        email,
        teamId,
        inviterId: actorId(actor),
      });
      await accountMails.sendLink(tx, made);
      await announce(tx, INVITATION_CREATED, { actorId: actorId(actor), invitationId: made.id, email });
      return made;
    });
    return { ...link, url: accountLinks.addressOf(link) };
  }

  /** Lists the invitations that still work, the newest first. */
  listInvitations(paging: Paging): Promise<Page<Invitation>> {
    return this.#use.accountLinks.list('invitation', paging);
  }

  /** Takes an invitation back. @throws ForgeError `not_found` */
  async deleteInvitation(viewer: SignedIn, id: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      if (!(await this.#use.accountLinks.delete(tx, id, 'invitation'))) throw notFound('invitation');
      await announce(tx, INVITATION_DELETED, { actorId: viewer.accountId, invitationId: id });
    });
  }

  /** Finds an invitation. @throws ForgeError `not_found` */
  async findInvitation(token: string): Promise<AccountLink> {
    if (this.#use.signUpSettings.mode === 'off') throw notFound('link');
    return this.#use.accountLinks.find(token, 'invitation');
  }

  /**
   * Creates the account of an invited person, whose address counts as proved.
   *
   * @throws ForgeError as `findInvitation`; `invalid`, `bad_request`; `already_exists` as `finish`
   */
  async accept(token: string, { name, password }: Omit<TypedSignUp, 'email'>): Promise<Account> {
    const link = await this.findInvitation(token);
    await this.#requireFreeName(name);
    requirePassword(password);
    const passwordHash = await this.#use.accounts.passwords.hash(password);
    return this.#create(link, { name, passwordHash });
  }

  async #create(
    link: AccountLink,
    { name, passwordHash }: { readonly name: string; readonly passwordHash: string },
  ): Promise<Account> {
    const { database, accountLinks, teams } = this.#use;
    const { email, teamId, inviterId } = link;
    try {
      return await database.transaction(async (tx) => {
        await accountLinks.use(tx, link);
        const account = await insertUserWithEvent(tx, null, { name, email, password: null }, passwordHash);
        await accountLinks.endJoining(tx, email);
        if (teamId !== null)
          await teams.members.joinInvited(tx, { teamId, accountId: account.id, actorId: inviterId });
        return account;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await this.#requireFreeName(name);
      const what = 'an account has this e-mail address already: sign in';
      throw new ForgeError({ kind: 'already_exists', what }, { cause: error });
    }
  }

  #requireAllowed(email: string): string {
    const address = signUpAddress(email);
    if (!maySignUp(address, this.#use.signUpSettings))
      throw forbidden(
        'you cannot sign up with an address at this domain: ask an administrator for an account',
      );
    return address;
  }

  /** @throws ForgeError `invalid` */
  async #requireFreeName(name: string): Promise<void> {
    requireUsableName(name);
    if ((await this.#use.accounts.findByName(name)) !== undefined)
      throw invalid('this name is taken: choose another');
  }

  #requireInvitations(): void {
    if (this.#use.signUpSettings.mode === 'off')
      throw forbidden('this server takes no invitations: set --sign-up to invitation');
  }
}

async function announce(
  tx: Tx,
  event: typeof INVITATION_CREATED,
  {
    actorId,
    invitationId,
    email,
  }: { readonly actorId: number | null; readonly invitationId: number; readonly email?: string },
): Promise<void> {
  const audit = email === undefined ? {} : { email };
  await insertEvent(tx, event, { actorId, repositoryId: null, payload: { invitationId }, audit });
}
