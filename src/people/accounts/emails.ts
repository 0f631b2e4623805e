import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { type Database, isUniqueViolation } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { insertEvent } from '../../base/events/store.ts';
import { ACCOUNT_CHANGED } from './events.ts';
import { ACCOUNT_LIMITS } from './limits.ts';
import type { AccountEmail } from './model.ts';
import { requireEmail } from './profile.ts';
import { deleteAdditionalEmail, insertEmail, listEmails, searchEmails } from './store/emails.ts';
import { likePattern } from './store/lists.ts';

interface Dependencies {
  readonly database: Database;
}

/**
 * E-mail addresses of accounts. Administrators set the primary address, and no two accounts have the same primary
 * address. Users may add addresses. These are not verified, so several accounts may add the same address, and an added
 * address gives no rights.
 */
export class AccountEmails {
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
        for (const email of emails) await insertEmail(tx, accountId, email, { isPrimary: false });
        if ((await listEmails(tx, accountId)).length > ACCOUNT_LIMITS.emailsPerAccountMax) {
          throw invalid(
            `an account has at most ${ACCOUNT_LIMITS.emailsPerAccountMax} e-mail addresses: delete one first`,
          );
        }
        await insertEvent(tx, ACCOUNT_CHANGED, {
          actorId: accountId,
          repositoryId: null,
          payload: { accountId, changed: ['emails'] },
          audit: { added: emails },
        });
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
          throw invalid('the primary e-mail address cannot be deleted: an administrator can replace it');
        if (!(await deleteAdditionalEmail(tx, accountId, email))) throw notFound('e-mail');
      }
      await insertEvent(tx, ACCOUNT_CHANGED, {
        actorId: actor.accountId,
        repositoryId: null,
        payload: { accountId, changed: ['emails'] },
        audit: { removed: emails },
      });
    });
  }
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
