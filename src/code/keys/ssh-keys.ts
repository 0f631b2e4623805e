import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Addresses } from '../../http/app.ts';
import { lockUser } from '../../people/accounts/locks.ts';
import type { Account } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { MalformedKeyError } from './byte-reader.ts';
import { DEPLOY_KEY_DELETED, SSH_KEY_CREATED, SSH_KEY_DELETED } from './events.ts';
import { KEY_LIMITS } from './limits.ts';
import type { SshKey } from './model.ts';
import { proofTokens } from './proof-token.ts';
import { parseSshKey } from './ssh/parse-line.ts';
import { isValidSshSignature, parseSshSignature, type SshSignature } from './ssh/signature.ts';
import { deleteSharedKey } from './store/deploy-keys.ts';
import {
  countSshKeys,
  deleteSshKey,
  findSshKey,
  insertSshKey,
  isTitleUsed,
  listSshKeys,
  lockKeyHolder,
} from './store/ssh-keys.ts';
import { keyTitleOf } from './titles.ts';

/** Purposes for which a proof may be signed: the own name, and the name that tools for the reference use. */
const PROOF_NAMESPACES = ['quire', 'gitea'];
const HOW_TO_PROVE =
  'sign the token from /user/gpg_key_token with `ssh-keygen -Y sign -n quire -f KEY`, and send it as armored_signature';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** SSH keys of users. All users who see an account see its keys. */
export class SshKeys {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Accounts.getOwnUser` */
  async listOwn(viewer: SignedIn, fingerprint: string | undefined, paging: Paging): Promise<Page<SshKey>> {
    return this.#list(await this.#use.accounts.getOwnUser(viewer), fingerprint, paging);
  }

  /** @throws ForgeError as `Accounts.getByName` */
  async listOf(
    viewer: Viewer,
    name: string,
    fingerprint: string | undefined,
    paging: Paging,
  ): Promise<Page<SshKey>> {
    return this.#list(await this.#use.accounts.getByName(viewer, name), fingerprint, paging);
  }

  /** Lists all keys of a user. @throws ForgeError as `Accounts.getByName` */
  async listAllOf(viewer: Viewer, name: string): Promise<readonly SshKey[]> {
    const all = { page: 1, limit: KEY_LIMITS.sshKeysPerAccountMax };
    return (await this.listOf(viewer, name, undefined, all)).items;
  }

  async #list(account: Account, fingerprint: string | undefined, paging: Paging): Promise<Page<SshKey>> {
    if (fingerprint !== undefined && !isPlainLine(fingerprint)) return { items: [], total: 0 };
    return listSshKeys(this.#use.database.reader, account.id, fingerprint, paging);
  }

  /**
   * Gets the key of any visible user, because lists of the keys of others have its address.
   *
   * @throws ForgeError `not_found`
   */
  async get(viewer: SignedIn, id: number): Promise<SshKey> {
    const key = await findSshKey(this.#use.database.reader, viewer, id);
    if (key === undefined) throw notFound('key');
    return key;
  }

  /**
   * Adds a key of the viewer. With a proof, it takes the key from a user who has not proved it, because public keys are
   * public, and from deploy keys.
   *
   * @param signature of the viewer's token, by the key; '' for none
   * @throws ForgeError as `Accounts.getOwnUser`; `invalid`
   */
  async addOwn(viewer: SignedIn, text: string, title: string, signature: string): Promise<SshKey> {
    const account = await this.#use.accounts.getOwnUser(viewer);
    const isProved = signature.trim() !== '';
    if (isProved) await this.#requireProof(account, parseSshKey(text).fingerprint, signature);
    return this.#add(viewer, account, { text, title, isProved });
  }

  /** Adds the key of another user, for site administrators, whose word counts as a proof. */
  async addFor(viewer: SignedIn, name: string, text: string, title: string): Promise<SshKey> {
    return this.#add(viewer, await this.#getUser(viewer, name), { text, title, isProved: true });
  }

  /** @throws ForgeError `invalid` */
  async #requireProof(account: Account, fingerprint: string, armored: string): Promise<void> {
    const tokens = proofTokens(account, this.#use.addresses, currentTimeMs());
    const signature = readProof(armored);
    if (signature?.fingerprint === fingerprint)
      for (const text of tokens.flatMap((token) => [token, `${token}\n`]))
        if (await isValidSshSignature(signature, Buffer.from(text))) return;
    throw invalid(`the signature is not by this key, or not of the token ${tokens[0]}: ${HOW_TO_PROVE}`);
  }

  /** @throws ForgeError as `Accounts.getOwnUser`, and `not_found` for the key of another user, too */
  async deleteOwn(viewer: SignedIn, id: number): Promise<void> {
    await this.#delete(viewer, await this.#use.accounts.getOwnUser(viewer), id);
  }

  /** Deletes the key of another user, for site administrators. */
  async deleteOf(viewer: SignedIn, name: string, id: number): Promise<void> {
    await this.#delete(viewer, await this.#getUser(viewer, name), id);
  }

  async #getUser(viewer: SignedIn, name: string): Promise<Account> {
    const account = await this.#use.accounts.getByName(viewer, name);
    if (account.kind !== 'user') throw invalid(`${account.name} is an organization: only users have keys`);
    return account;
  }

  async #add(
    viewer: SignedIn,
    account: Account,
    wanted: { text: string; title: string; isProved: boolean },
  ): Promise<SshKey> {
    const { isProved } = wanted;
    const key = { ...parseSshKey(wanted.text), title: keyTitleOf(wanted.title), isProved };
    const id = await this.#use.database.transaction(async (tx) => {
      // The lock keeps the number of keys and their titles as they are.
      await lockUser(tx, account.id);
      if (isProved) await removeFromHolder(tx, viewer, key.fingerprint);
      if ((await countSshKeys(tx, account.id)) >= KEY_LIMITS.sshKeysPerAccountMax) {
        throw invalid(
          `an account has at most ${KEY_LIMITS.sshKeysPerAccountMax} SSH keys: delete some first`,
        );
      }
      if (await isTitleUsed(tx, account.id, key.title)) throw invalid('Key title has been used');
      const inserted = await insertSshKey(tx, account.id, key);
      if (inserted === undefined)
        throw invalid(`Key content has been used. If the key is yours, prove it: ${HOW_TO_PROVE}`);
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
    await this.#use.database.transaction(async (tx) => {
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

/** Removes a key from a user or from deploy keys that have it without a proof. */
async function removeFromHolder(
  tx: Tx,
  { accountId: actorId }: SignedIn,
  fingerprint: string,
): Promise<void> {
  const holder = await lockKeyHolder(tx, fingerprint);
  if (holder === undefined || holder.isProved) return;
  const { keyId, accountId } = holder;
  if (accountId !== null) {
    await deleteSshKey(tx, accountId, keyId);
    const payload = { accountId, keyId, fingerprint };
    await insertEvent(tx, SSH_KEY_DELETED, { actorId, repositoryId: null, payload });
    return;
  }
  for (const { id, repositoryId, isReadOnly } of await deleteSharedKey(tx, keyId)) {
    const payload = { deployKeyId: id, fingerprint, isReadOnly };
    await insertEvent(tx, DEPLOY_KEY_DELETED, { actorId, repositoryId, payload });
  }
}

function readProof(armored: string): SshSignature | undefined {
  try {
    return parseSshSignature(armored.trim(), PROOF_NAMESPACES);
  } catch (error) {
    if (error instanceof MalformedKeyError) return undefined;
    throw error;
  }
}
