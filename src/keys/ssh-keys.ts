import type { SignedIn, Viewer } from '../access/viewer.ts';
import { lockUser } from '../accounts/locks.ts';
import type { Account } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Page, Paging } from '../core/paging.ts';
import { isPlainLine } from '../core/text.ts';
import type { Database } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import { SSH_KEY_CREATED, SSH_KEY_DELETED } from './events.ts';
import type { SshKey } from './model.ts';
import { parseSshKey } from './ssh/parse-line.ts';
import {
  countSshKeys,
  deleteSshKey,
  findSshKey,
  insertSshKey,
  isTitleUsed,
  listSshKeys,
} from './store/ssh-keys.ts';
import { keyTitleOf } from './titles.ts';

/** SSH keys of users. All users who see an account see its keys. */
export class SshKeys {
  readonly #database: Database;
  readonly #accounts: Accounts;

  constructor(dependencies: { database: Database; accounts: Accounts }) {
    this.#database = dependencies.database;
    this.#accounts = dependencies.accounts;
  }

  /** @throws ForgeError as `Accounts.getOwnUser` */
  async listOwn(viewer: SignedIn, fingerprint: string | undefined, paging: Paging): Promise<Page<SshKey>> {
    return this.#list(await this.#accounts.getOwnUser(viewer), fingerprint, paging);
  }

  /** @throws ForgeError as `Accounts.getByName` */
  async listOf(
    viewer: Viewer,
    name: string,
    fingerprint: string | undefined,
    paging: Paging,
  ): Promise<Page<SshKey>> {
    return this.#list(await this.#accounts.getByName(viewer, name), fingerprint, paging);
  }

  /** Lists all keys of a user. @throws ForgeError as `Accounts.getByName` */
  async listAllOf(viewer: Viewer, name: string): Promise<readonly SshKey[]> {
    const all = { page: 1, limit: LIMITS.sshKeysPerAccountMax };
    return (await this.listOf(viewer, name, undefined, all)).items;
  }

  async #list(account: Account, fingerprint: string | undefined, paging: Paging): Promise<Page<SshKey>> {
    if (fingerprint !== undefined && !isPlainLine(fingerprint)) return { items: [], total: 0 };
    return listSshKeys(this.#database.reader, account.id, fingerprint, paging);
  }

  /**
   * Gets the key of any visible user, because lists of the keys of others have its address.
   *
   * @throws ForgeError `not_found`
   */
  async get(viewer: SignedIn, id: number): Promise<SshKey> {
    const key = await findSshKey(this.#database.reader, viewer, id);
    if (key === undefined) throw notFound('key');
    return key;
  }

  /** @throws ForgeError as `Accounts.getOwnUser`; `invalid` */
  async addOwn(viewer: SignedIn, text: string, title: string): Promise<SshKey> {
    return this.#add(viewer, await this.#accounts.getOwnUser(viewer), { text, title });
  }

  /** Adds the key of another user, for site administrators. */
  async addFor(viewer: SignedIn, name: string, text: string, title: string): Promise<SshKey> {
    return this.#add(viewer, await this.#getUser(viewer, name), { text, title });
  }

  /** @throws ForgeError as `Accounts.getOwnUser`, and `not_found` for the key of another user, too */
  async deleteOwn(viewer: SignedIn, id: number): Promise<void> {
    await this.#delete(viewer, await this.#accounts.getOwnUser(viewer), id);
  }

  /** Deletes the key of another user, for site administrators. */
  async deleteOf(viewer: SignedIn, name: string, id: number): Promise<void> {
    await this.#delete(viewer, await this.#getUser(viewer, name), id);
  }

  async #getUser(viewer: SignedIn, name: string): Promise<Account> {
    const account = await this.#accounts.getByName(viewer, name);
    if (account.kind !== 'user') throw invalid(`${account.name} is an organization: only users have keys`);
    return account;
  }

  async #add(viewer: SignedIn, account: Account, wanted: { text: string; title: string }): Promise<SshKey> {
    const key = { ...parseSshKey(wanted.text), title: keyTitleOf(wanted.title) };
    const id = await this.#database.transaction(async (tx) => {
      // The lock keeps the number of keys and their titles as they are.
      await lockUser(tx, account.id);
      if ((await countSshKeys(tx, account.id)) >= LIMITS.sshKeysPerAccountMax) {
        throw invalid(`an account has at most ${LIMITS.sshKeysPerAccountMax} SSH keys: delete some first`);
      }
      if (await isTitleUsed(tx, account.id, key.title)) throw invalid('Key title has been used');
      const inserted = await insertSshKey(tx, account.id, key);
      if (inserted === undefined) throw invalid('Key content has been used: each key belongs to one user');
      const { fingerprint, title } = key;
      await insertEvent(tx, SSH_KEY_CREATED, {
        actorId: viewer.accountId,
        repositoryId: null,
        payload: { accountId: account.id, keyId: inserted, fingerprint, title },
      });
      return inserted;
    });
    return this.get(viewer, id);
  }

  async #delete(viewer: SignedIn, account: Account, id: number): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const fingerprint = await deleteSshKey(tx, account.id, id);
      if (fingerprint === undefined) throw notFound('key');
      await insertEvent(tx, SSH_KEY_DELETED, {
        actorId: viewer.accountId,
        repositoryId: null,
        payload: { accountId: account.id, keyId: id, fingerprint },
      });
    });
  }
}
