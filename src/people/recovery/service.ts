import { ForgeError, notFound } from '../../base/core/failure.ts';
import { Allowance } from '../../base/core/fairness/allowance.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import { LINK_LIMITS } from '../account-links/limits.ts';
import type { AccountMails } from '../account-links/mails.ts';
import type { AccountLink } from '../account-links/model.ts';
import type { AccountLinks } from '../account-links/service.ts';
import { SITE } from '../accounts/actions.ts';
import { type Actor, actorId, requireAdministration } from '../accounts/actor.ts';
import { type CredentialsEnd, replacePassword } from '../accounts/changes.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import { maySignIn } from '../accounts/model.ts';
import { requirePassword } from '../accounts/profile.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { RESET_LINK_CREATED } from './events.ts';
import { RECOVERY_LIMITS } from './limits.ts';

const REQUESTED = defineJob<{ email: string }>('account.recover');

/** A link that an administrator hands over. */
export interface HandedOverLink {
  readonly url: string;
  /** ms */
  readonly endsAt: number;
}

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly accountLinks: AccountLinks;
  readonly accountMails: AccountMails;
}

/** New passwords for people who have forgotten theirs. None of this signs in by itself. */
export class Recovery {
  readonly #use: Dependencies;
  readonly #requests = new Allowance({
    what: 'requests for a new password',
    unitsMax: RECOVERY_LIMITS.recoveriesPerNetworkMax,
    periodMs: RECOVERY_LIMITS.recoveriesMs,
    callersRememberedMax: RECOVERY_LIMITS.recoveryNetworksRememberedMax,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, accountMails } = dependencies;
    if (accountMails.isOn) jobs.register(REQUESTED, ({ email }) => this.#mailLinkTo(email));
  }

  /** Whether people can ask for a link by mail. */
  get isOn(): boolean {
    return this.#use.accountMails.isOn;
  }

  /**
   * Mails a link to the owner of an address. The caller learns nothing: a job looks for the account, whether there is one
   * or not.
   *
   * @throws ForgeError `busy`; `invalid` if this server sends no mail
   */
  async request(email: string): Promise<void> {
    if (!this.isOn)
      throw new ForgeError({ kind: 'invalid', what: 'this server sends no mail: ask an administrator' });
    this.#requests.spend(1);
    const { database, jobs } = this.#use;
    const job = { payload: { email: email.slice(0, ACCOUNT_LIMITS.emailCharsMax) } };
    await database.transaction((tx) => jobs.enqueue(tx, REQUESTED, job));
  }

  async #mailLinkTo(email: string): Promise<void> {
    const { database, accounts, accountLinks, accountMails } = this.#use;
    const account = email.includes('@') ? await accounts.findSignIn(email) : undefined;
    if (account === undefined || account.kind !== 'user' || !maySignIn(account)) return;
    const { id: accountId, credentialVersion: version } = account;
    // As the account has it: what the caller typed goes nowhere.
    const { email: known } = await accounts.get(accountId);
    await database.transaction(async (tx) => {
      const link = await accountLinks.make(tx, { purpose: 'recover', accountId, version, email: known });
      await accountMails.sendLink(tx, link);
    });
  }

  /**
   * Finds a link that gives a new password, and the account that it is for.
   *
   * @throws ForgeError `not_found`, also if the account has another primary address since
   */
  async find(token: string): Promise<{ readonly link: AccountLink; readonly name: string }> {
    const { accounts, accountLinks } = this.#use;
    const link = await accountLinks.find(token, 'recover');
    const account = await accounts.get(link.accountId ?? 0);
    if (account.email.toLowerCase() !== link.email.toLowerCase()) throw notFound('link');
    return { link, name: account.name };
  }

  /**
   * Gives an account a new password by a link. All sign-ins that began with the old one end.
   *
   * @param options.deletesTokens whether all access tokens of the account stop working, too
   * @throws ForgeError as `find`, `bad_request` for an unusable password
   */
  async recover(
    token: string,
    password: string,
    { deletesTokens }: { readonly deletesTokens: boolean },
  ): Promise<void> {
    const { database, accounts, accountLinks, tokens } = this.#use;
    const { link } = await this.find(token);
    const { accountId, version } = link;
    if (accountId === null || version === null) throw notFound('link');
    requirePassword(password);
    const hash = await accounts.passwords.hash(password);
    await database.transaction(async (tx) => {
      await accountLinks.use(tx, link);
      await replacePassword(tx, { id: accountId, credentialVersion: version }, hash, accounts);
      if (deletesTokens) await tokens.deleteAll(tx, accountId);
    });
  }

  /**
   * Makes a link that gives an account a new password, for an administrator who hands it over.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`; `invalid` for an account that cannot use it
   */
  async linkFor(actor: Actor, name: string): Promise<HandedOverLink> {
    requireAdministration(actor, SITE.editAccount);
    const { database, accounts, accountLinks } = this.#use;
    const account =
      actor === 'operator' ? await accounts.findByName(name) : await accounts.getByName(actor, name);
    const state = account && (await accounts.findSignInById(account.id));
    if (account === undefined || state === undefined)
      throw notFound('account', { say: `there is no account ${name}` });
    if (account.kind !== 'user' || !maySignIn(state))
      throw new ForgeError({ kind: 'invalid', what: `${account.name} may not sign in` });
    const { id: accountId, email } = account;
    const link = await database.transaction(async (tx) => {
      const made = await accountLinks.make(tx, {
        purpose: 'recover',
        accountId,
        version: state.credentialVersion,
        email,
        lifetimeMs: LINK_LIMITS.handedOverMs,
      });
      const payload = { accountId };
      await insertEvent(tx, RESET_LINK_CREATED, { actorId: actorId(actor), repositoryId: null, payload });
      return made;
    });
    return { url: accountLinks.addressOf(link), endsAt: link.endsAt };
  }

  /** Mails the owner of an account that it has a new password. */
  async reportPasswordChange(tx: Tx, { accountId, hasNewPassword }: CredentialsEnd): Promise<void> {
    if (!hasNewPassword) return;
    await this.#use.accountMails.sendNotice(tx, 'password-changed', accountId);
  }
}
