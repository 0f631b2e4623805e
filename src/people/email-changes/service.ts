import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import type { AccountMails } from '../account-links/mails.ts';
import type { AccountLink } from '../account-links/model.ts';
import type { AccountLinks } from '../account-links/service.ts';
import { SITE } from '../accounts/actions.ts';
import { type Actor, actorId, requireAdministration } from '../accounts/actor.ts';
import { changePrimaryEmail, restoreEmail } from '../accounts/changes.ts';
import { type AddedEmails, isOfAnother } from '../accounts/emails.ts';
import { lockCredentialVersion } from '../accounts/locks.ts';
import type { AccountEmail } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { EMAIL_CHANGE_LIMITS } from './limits.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly accountLinks: AccountLinks;
  readonly accountMails: AccountMails;
}

/** An account that its owner takes back from a thief. */
export interface TakenBack {
  readonly accountId: number;
  /** ms; older ways to sign in are of the owner */
  readonly since: number;
}

/** Proofs of e-mail addresses, and changes of the primary one. */
export class EmailChanges {
  /** before an account gets its former address back: ways to sign in that were added since end */
  readonly undone = new Signal<[tx: Tx, taken: TakenBack]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Whether users can prove addresses by mail. Otherwise, administrators verify them. */
  get isOn(): boolean {
    return this.#use.accountMails.isOn;
  }

  /** Mails links to addresses that a user has added, in the transaction that adds them. */
  async afterAdding(tx: Tx, { accountId, emails }: AddedEmails): Promise<void> {
    if (!this.isOn) return;
    const room = await this.#confirmationsLeft(tx, accountId);
    const version = await lockCredentialVersion(tx, accountId);
    for (const email of emails.slice(0, room)) await this.#mailLink(tx, { accountId, version, email });
  }

  /**
   * Mails the link to an address again.
   *
   * @throws ForgeError `not_found` if it is not an address of the viewer; `invalid` if it is verified, if the account has
   *   asked for too many links, or if this server sends no mail
   */
  async resend(viewer: SignedIn, email: string): Promise<void> {
    if (!this.isOn) throw invalid('this server sends no mail: an administrator can verify the address');
    const { accountId } = viewer;
    const known = await this.#own(viewer, email);
    if (known.isVerified) throw invalid('this address is verified already');
    await this.#use.database.transaction(async (tx) => {
      if ((await this.#confirmationsLeft(tx, accountId)) === 0)
        throw invalid('you have asked for too many links: try again tomorrow');
      const version = await lockCredentialVersion(tx, accountId);
      await this.#mailLink(tx, { accountId, version, email: known.email });
    });
  }

  /** Finds a link that proves an address. @throws ForgeError `not_found` */
  findConfirmation(token: string): Promise<AccountLink> {
    return this.#use.accountLinks.find(token, 'confirm-email');
  }

  /**
   * Verifies an address by the link that was sent to it.
   *
   * @throws ForgeError `not_found`, also if the account no longer has it; `already_exists` if another account has it
   */
  async confirm(token: string): Promise<void> {
    const { database, accounts, accountLinks } = this.#use;
    const link = await this.findConfirmation(token);
    const { accountId, email } = link;
    if (accountId === null) throw notFound('link');
    await database
      .transaction(async (tx) => {
        await accountLinks.use(tx, link);
        await accounts.emails.verify(tx, { accountId, email, actorId: accountId });
      })
      .catch(rethrowTaken);
  }

  /**
   * Verifies an address of a user, for administrators.
   *
   * @throws ForgeError `unauthenticated`, `forbidden`, `not_found`; `already_exists` if another account has it
   */
  async verify(actor: Actor, name: string, email: string): Promise<void> {
    requireAdministration(actor, SITE.editAccount);
    const { database, accounts } = this.#use;
    const account =
      actor === 'operator' ? await accounts.findByName(name) : await accounts.getByName(actor, name);
    if (account === undefined) throw notFound('account', { say: `there is no account ${name}` });
    if (account.kind !== 'user') throw invalid(`${account.name} is an organization, not a user`);
    const verified = { accountId: account.id, email, actorId: actorId(actor) };
    await database.transaction((tx) => accounts.emails.verify(tx, verified)).catch(rethrowTaken);
  }

  /**
   * Makes a verified address of the viewer the primary one, and mails a link to the former one that takes it back.
   *
   * @throws ForgeError `not_found` if it is not an address of the viewer; `invalid` if it is not verified or is the primary
   *   one; `already_exists`
   */
  async makePrimary(viewer: SignedIn, email: string): Promise<void> {
    const { database, accountLinks, accountMails } = this.#use;
    const known = await this.#own(viewer, email);
    if (!known.isVerified) throw invalid('confirm the address first');
    const { accountId } = viewer;
    await database
      .transaction(async (tx) => {
        const former = await changePrimaryEmail(tx, { id: accountId, email, actorId: accountId });
        if (former.email === '' || !accountMails.isOn) return;
        // It works whatever happens to the account meanwhile: a thief could change everything else.
        const link = await accountLinks.make(tx, { purpose: 'undo-email', accountId, email: former.email });
        await accountMails.sendLink(tx, link);
      })
      .catch(rethrowTaken);
  }

  /** Finds a link that takes an account back. @throws ForgeError `not_found` */
  findUndo(token: string): Promise<AccountLink> {
    return this.#use.accountLinks.find(token, 'undo-email');
  }

  /**
   * Gives an account back to the owner of its former address, who has a link: with its sign-ins, its password and its
   * access tokens ended, and without the passkeys, one-time codes and linked accounts that were added since the change.
   * Older ones stay, because a thief may have the former mailbox. Later changes cannot be undone any more.
   *
   * @throws ForgeError `not_found`, `already_exists`
   */
  async undo(token: string): Promise<void> {
    const { database, accounts, tokens, accountLinks, accountMails } = this.#use;
    const link = await this.findUndo(token);
    const { accountId, email, id, createdAt: since } = link;
    if (accountId === null) throw notFound('link');
    await database
      .transaction(async (tx) => {
        await accountLinks.use(tx, link);
        // First, because second factors lock what organizations require before the account.
        await this.undone.notify(tx, { accountId, since });
        await restoreEmail(tx, { id: accountId, email }, accounts);
        await tokens.deleteAll(tx, accountId);
        await accountLinks.endLaterUndos(tx, { accountId, id });
        await accountMails.sendNotice(tx, 'account-restored', accountId);
      })
      .catch(rethrowTaken);
  }

  async #own(viewer: SignedIn, email: string): Promise<AccountEmail> {
    const emails = await this.#use.accounts.emails.listOwn(viewer);
    const known = emails.find((each) => each.email.toLowerCase() === email.toLowerCase());
    if (known === undefined) throw notFound('e-mail', { say: 'this is not an address of yours' });
    return known;
  }

  async #confirmationsLeft(tx: Tx, accountId: number): Promise<number> {
    const after = currentTimeMs() - EMAIL_CHANGE_LIMITS.confirmationsMs;
    const made = await this.#use.accountLinks.count(tx, { accountId, purpose: 'confirm-email' }, after);
    return Math.max(0, EMAIL_CHANGE_LIMITS.confirmationsPerAccountMax - made);
  }

  async #mailLink(
    tx: Tx,
    of: { readonly accountId: number; readonly version: number; readonly email: string },
  ): Promise<void> {
    const { accountLinks, accountMails } = this.#use;
    const link = await accountLinks.make(tx, { purpose: 'confirm-email', ...of });
    await accountMails.sendLink(tx, link);
  }
}

function rethrowTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw isOfAnother({ cause: error });
}
