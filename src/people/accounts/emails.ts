import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockUserAccount } from './changes.ts';
import { ACCOUNT_CHANGED } from './events.ts';
import { ACCOUNT_LIMITS } from './limits.ts';
import type { AccountEmail } from './model.ts';
import { requireEmail } from './profile.ts';
import {
  deleteAdditionalEmail,
  findEmailOwner,
  insertEmail,
  listEmails,
  searchEmails,
  setEmailVerified,
} from './store/emails.ts';
import { likePattern } from './store/lists.ts';

interface Dependencies {
  readonly database: Database;
}

/** Addresses that a user has added and not yet proved. */
export interface AddedEmails {
  readonly accountId: number;
  readonly emails: readonly string[];
}

/**
 * E-mail addresses of accounts. No two accounts have the same primary address, or have verified the same address. Users
 * may add addresses. Until they are verified, several accounts may have the same one. Only the primary address gives
 * rights.
 */
export class AccountEmails {
  readonly added = new Signal<[tx: Tx, added: AddedEmails]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists the viewer's own addresses.
   *
   * @throws ForgeError `forbidden` for a token that is limited to public data
   */
  async listOwn(viewer: SignedIn): Promise<readonly AccountEmail[]> {
    requireSeesPrivate(viewer);
    return listEmails(this.#use.database.reader, viewer.accountId);
  }

  /**
   * Lists the addresses of one account, for site administrators.
   *
   * @throws ForgeError `forbidden` for a token that is limited to public data
   */
  async listOf(viewer: Viewer, accountId: number): Promise<readonly AccountEmail[]> {
    requireSeesPrivate(viewer);
    return listEmails(this.#use.database.reader, accountId);
  }

  /**
   * Lists the addresses of all accounts, for site administrators.
   *
   * @throws ForgeError `forbidden` for a token that is limited to public data
   */
  async search(viewer: Viewer, words: string, paging: Paging): Promise<Page<AccountEmail>> {
    requireSeesPrivate(viewer);
    if (words.length > ACCOUNT_LIMITS.searchWordCharsMax || !isPlainLine(words))
      return { items: [], total: 0 };
    return searchEmails(this.#use.database.reader, likePattern(words), paging);
  }

  /**
   * Adds addresses, all or none.
   *
   * @returns all addresses of the account
   * @throws ForgeError `invalid`; `already_exists` if the account has one of the addresses; `forbidden` as `listOwn`
   */
  async add(viewer: SignedIn, emails: readonly string[]): Promise<readonly AccountEmail[]> {
    requireSeesPrivate(viewer);
    if (emails.length === 0) throw invalid('[Emails]: Required');
    for (const email of emails) requireEmail(email);
    const { accountId } = viewer;
    await this.#use.database
      .transaction(async (tx) => {
        for (const email of emails)
          await insertEmail(tx, accountId, email, { isPrimary: false, isVerified: false });
        if ((await listEmails(tx, accountId)).length > ACCOUNT_LIMITS.emailsPerAccountMax) {
          throw invalid(
            `an account has at most ${ACCOUNT_LIMITS.emailsPerAccountMax} e-mail addresses: delete one first`,
          );
        }
        await this.added.notify(tx, { accountId, emails });
        await announce(tx, { accountId, actorId: accountId, audit: { added: emails } });
      })
      .catch(rethrowGone('account'))
      .catch(rethrowInUse);
    return this.listOwn(viewer);
  }

  /**
   * Removes addresses other than the primary one, all or none.
   *
   * @throws ForgeError `not_found` if the account lacks one of the addresses, `invalid` for its primary address;
   *   `forbidden` as `listOwn`
   */
  async remove(actor: Viewer, accountId: number, emails: readonly string[]): Promise<void> {
    requireSeesPrivate(actor);
    if (emails.length === 0) throw invalid('[Emails]: Required');
    if (!emails.every(isPlainLine)) throw notFound('e-mail');
    await this.#use.database.transaction(async (tx) => {
      const known = await listEmails(tx, accountId);
      for (const email of new Set(emails.map((each) => each.toLowerCase()))) {
        if (known.some((each) => each.isPrimary && each.email.toLowerCase() === email))
          throw invalid(
            'the primary e-mail address cannot be deleted: make another one the primary one first',
          );
        if (!(await deleteAdditionalEmail(tx, accountId, email))) throw notFound('e-mail');
      }
      await announce(tx, { accountId, actorId: actor.accountId, audit: { removed: emails } });
    });
  }

  /** Finds the account to which an address belongs, for the mechanisms that prove one. */
  findOwner(email: string): Promise<{ readonly id: number; readonly name: string } | undefined> {
    if (!isPlainLine(email)) return Promise.resolve(undefined);
    return findEmailOwner(this.#use.database.reader, email);
  }

  /**
   * Records that a user has proved an address.
   *
   * @throws ForgeError `not_found` if the account does not have it; `already_exists` if another one has verified it
   */
  async verify(
    tx: Tx,
    { accountId, email, actorId }: { accountId: number; email: string; actorId: number | null },
  ): Promise<void> {
    if (!isPlainLine(email)) throw notFound('e-mail');
    await lockUserAccount(tx, accountId);
    const owner = await findEmailOwner(tx, email);
    if (owner !== undefined && owner.id !== accountId) throw isOfAnother();
    if (!(await setEmailVerified(tx, accountId, email))) throw notFound('e-mail');
    await announce(tx, { accountId, actorId, audit: { verified: [email] } });
  }
}

/** The failure of an address that belongs to another account. Only who has proved the address may get it. */
export function isOfAnother(options?: ErrorOptions): ForgeError {
  return new ForgeError({ kind: 'already_exists', what: 'another account has this e-mail address' }, options);
}

async function announce(
  tx: Tx,
  {
    accountId,
    actorId,
    audit,
  }: {
    readonly accountId: number;
    readonly actorId: number | null;
    readonly audit: Readonly<Record<string, readonly string[]>>;
  },
): Promise<void> {
  const payload = { accountId, changed: ['emails'] };
  await insertEvent(tx, ACCOUNT_CHANGED, { actorId, repositoryId: null, payload, audit });
}

/** @throws ForgeError `forbidden` for a token that is limited to public data */
export function requireSeesPrivate(viewer: Viewer): void {
  if (viewer.publicOnly) throw forbidden('token scope is limited to public data');
}

function rethrowInUse(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'already_exists', what: 'the account has this e-mail address already' },
    { cause: error },
  );
}
