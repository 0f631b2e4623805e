import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type ForgeError, isFailure, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { digestOfSecret, isOpaqueSecret } from '../../base/core/secrets.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Addresses } from '../../http/app.ts';
import { lockKind, lockSignIn } from '../accounts/locks.ts';
import { maySignIn } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { type AccountLink, LINK_LIFETIMES_MS, type LinkPurpose, linkPath, type NewLink } from './model.ts';
import {
  countLinksOf,
  deleteEndedLinks,
  deleteLink,
  deleteLinksToJoin,
  deleteUndoLinksAfter,
  findLink,
  findLinkById,
  insertLink,
  listLinks,
} from './store.ts';

const KEY_BYTES = 32;
const SEED_BYTES = 16;

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  /** of this server */
  readonly secret: Uint8Array;
  readonly addresses: Addresses;
}

/**
 * Links that let their bearer do one thing, once, for some time. The token of a link follows from the secret of the server,
 * a random seed and the purpose. So the job that mails a link makes the same one when it runs again, and the database alone
 * reveals no token.
 */
export class AccountLinks {
  readonly #use: Dependencies;
  readonly #key: Buffer;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#key = Buffer.from(hkdfSync('sha256', dependencies.secret, '', 'links of accounts', KEY_BYTES));
  }

  /** Records a link. `addressOf` has the address for its bearer. */
  async make(tx: Tx, link: NewLink): Promise<AccountLink> {
    const now = currentTimeMs();
    await deleteEndedLinks(tx, now);
    const { purpose, email, lifetimeMs = LINK_LIFETIMES_MS[purpose] } = link;
    const seed = randomBytes(SEED_BYTES).toString('base64url');
    return insertLink(tx, {
      purpose,
      email,
      seed,
      digest: digestOfSecret(this.#tokenOf({ purpose, seed })),
      accountId: link.accountId ?? null,
      version: link.version ?? null,
      name: link.name ?? null,
      passwordHash: link.passwordHash ?? null,
      teamId: link.teamId ?? null,
      inviterId: link.inviterId ?? null,
      createdAt: now,
      endsAt: now + lifetimeMs,
    });
  }

  addressOf(link: Pick<AccountLink, 'purpose' | 'seed'>): string {
    return `${this.#use.addresses.baseUrl}${linkPath(link.purpose, this.#tokenOf(link))}`;
  }

  /**
   * Finds a link that works, for the page that asks its bearer.
   *
   * @throws ForgeError `not_found` if it was used, has ended, is for another purpose, or its account has changed since
   */
  async find(token: string, purpose: LinkPurpose): Promise<AccountLink> {
    const link = isOpaqueSecret(token)
      ? await findLink(this.#use.database.reader, digestOfSecret(token), purpose)
      : undefined;
    if (link === undefined || link.endsAt <= currentTimeMs()) throw unusable();
    if (link.version !== null && link.accountId !== null) {
      const account = await this.#use.accounts.findSignInById(link.accountId);
      if (account === undefined || !maySignIn(account) || account.credentialVersion !== link.version)
        throw unusable();
    }
    return link;
  }

  /** Finds a link for the job that mails it; undefined if it was used or has ended. */
  async findById(id: number): Promise<AccountLink | undefined> {
    const link = await findLinkById(this.#use.database.reader, id);
    return link !== undefined && link.endsAt > currentTimeMs() ? link : undefined;
  }

  /**
   * Uses up a link that `find` has returned. Of several transactions, one succeeds. The account of the link is locked.
   *
   * @throws ForgeError as `find`
   */
  async use(tx: Tx, { id, purpose, accountId, version }: AccountLink): Promise<void> {
    if (accountId !== null) await lockAccountOf(tx, accountId, version);
    if (!(await deleteLink(tx, id, purpose))) throw unusable();
  }

  /** Counts the links of an account for a purpose that were made after a time, without those that were used. */
  count(
    tx: Tx,
    of: { readonly accountId: number; readonly purpose: LinkPurpose },
    after: number,
  ): Promise<number> {
    return countLinksOf(tx, of, after);
  }

  /** Lists links that still work, the newest first. */
  list(purpose: LinkPurpose, paging: Paging): Promise<Page<AccountLink>> {
    return listLinks(this.#use.database.reader, { purpose, now: currentTimeMs() }, paging);
  }

  /** @returns whether there was such a link */
  delete(tx: Tx, id: number, purpose: LinkPurpose): Promise<boolean> {
    return deleteLink(tx, id, purpose);
  }

  /** Ends the links that sign up or invite the owner of an address, who has an account now. */
  async endJoining(tx: Tx, email: string): Promise<void> {
    await deleteLinksToJoin(tx, email);
  }

  /** Ends the links that undo what has happened to an account after the change that a link undoes. */
  async endLaterUndos(tx: Tx, link: { readonly accountId: number; readonly id: number }): Promise<void> {
    await deleteUndoLinksAfter(tx, link.accountId, link.id);
  }

  /** Ends all links that undo a change of an account, because an administrator has decided whose it is. */
  async endUndos(tx: Tx, accountId: number): Promise<void> {
    await deleteUndoLinksAfter(tx, accountId, 0);
  }

  #tokenOf({ purpose, seed }: Pick<AccountLink, 'purpose' | 'seed'>): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${seed}`).digest('base64url');
  }
}

/** Locks the account of a link. */
async function lockAccountOf(tx: Tx, accountId: number, version: number | null): Promise<void> {
  try {
    if (version === null) await lockKind(tx, accountId);
    else await lockSignIn(tx, accountId, version);
  } catch (error) {
    throw isFailure(error, 'unauthenticated', 'not_found') ? unusable() : error;
  }
}

function unusable(): ForgeError {
  return notFound('link', { say: 'this link has been used, has ended or was replaced' });
}
