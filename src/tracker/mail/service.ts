import type { SignedIn } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Database } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { requireSeesPrivate } from '../../people/accounts/emails.ts';
import type { Subscriptions } from '../issues/discussion/subscriptions/service.ts';
import type { MailLevel, MailPreference } from './model.ts';
import { findPreference, setPreference } from './store.ts';
import type { Unsubscribe, UnsubscribeAddresses } from './unsubscribe.ts';

interface Dependencies {
  readonly database: Database;
  readonly subscriptions: Subscriptions;
  readonly mailer: Mailer;
  readonly unsubscribe: UnsubscribeAddresses;
}

/** Which notifications users get by mail. Users who have not asked for mail get none. */
export class MailPreferences {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `not_found` if the account is gone; `forbidden` for a token that is limited to public data */
  async get(viewer: SignedIn): Promise<MailPreference> {
    requireSeesPrivate(viewer);
    const { database, mailer } = this.#use;
    const found = await findPreference(database.reader, viewer.accountId);
    if (found === undefined) throw notFound('account');
    return { ...found, isOn: mailer.isOn };
  }

  /** @throws ForgeError as `get` */
  async set(viewer: SignedIn, level: MailLevel): Promise<MailPreference> {
    requireSeesPrivate(viewer);
    await this.#use.database
      .transaction((tx) => setPreference(tx, viewer.accountId, level))
      .catch(rethrowGone('account'));
    return this.get(viewer);
  }

  /** Returns what the address in a mail ends. @throws ForgeError `not_found` for an address of no mail */
  find(token: string): Unsubscribe {
    const found = this.#use.unsubscribe.read(token);
    if (found === undefined) throw notFound('address of a mail');
    return found;
  }

  /** Ends the mails that the address in a mail is for. @throws ForgeError as `find` */
  async end(token: string): Promise<Unsubscribe> {
    const ended = this.find(token);
    const { accountId, issueId } = ended;
    const { database, subscriptions } = this.#use;
    if (issueId === null) await database.transaction((tx) => setPreference(tx, accountId, 'none'));
    else await subscriptions.mute({ accountId, issueId });
    return ended;
  }
}
