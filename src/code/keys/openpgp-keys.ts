import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Addresses } from '../../http/app.ts';
import { lockUser } from '../../people/accounts/locks.ts';
import type { Account } from '../../people/accounts/model.ts';
import { noreplyAddress } from '../../people/accounts/present.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { OPENPGP_KEY_CREATED, OPENPGP_KEY_DELETED, OPENPGP_KEY_PROVED } from './events.ts';
import { KEY_LIMITS } from './limits.ts';
import type { OpenPgpKey } from './model.ts';
import { decodeArmor } from './openpgp/armor.ts';
import type { OpenPgpEngine } from './openpgp/engine.ts';
import { proofTokens } from './proof-token.ts';
import {
  countOpenPgpKeys,
  deleteOpenPgpKey,
  findOpenPgpKey,
  findOpenPgpKeyById,
  insertOpenPgpKey,
  listOpenPgpKeys,
  setProved,
} from './store/openpgp-keys.ts';
import { UnusableKeyError } from './unusable-key.ts';

const PRIVATE_KEY = /-----BEGIN PGP PRIVATE KEY BLOCK-----/;
const PUBLIC_KEY = /^-----BEGIN PGP PUBLIC KEY BLOCK-----$/m;
/** A shell adds a line end to the token that it passes on. */
const LINE_ENDS = ['', '\n', '\r\n'];

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly openPgp: OpenPgpEngine;
  readonly addresses: Addresses;
}

/** OpenPGP keys of users. All users who see an account see its keys. */
export class OpenPgpKeys {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Returns the text that the viewer signs with a key to prove its possession.
   *
   * @throws ForgeError as `Accounts.getOwnUser`
   */
  async token(viewer: SignedIn): Promise<string> {
    const [newest] = this.#tokens(await this.#use.accounts.getOwnUser(viewer));
    return newest;
  }

  /** @throws ForgeError as `Accounts.getOwnUser` */
  async listOwn(viewer: SignedIn, paging: Paging): Promise<Page<OpenPgpKey>> {
    const { id } = await this.#use.accounts.getOwnUser(viewer);
    return listOpenPgpKeys(this.#use.database.reader, id, paging);
  }

  /** @throws ForgeError as `Accounts.getByName` */
  async listOf(viewer: Viewer, name: string, paging: Paging): Promise<Page<OpenPgpKey>> {
    const { id } = await this.#use.accounts.getByName(viewer, name);
    return listOpenPgpKeys(this.#use.database.reader, id, paging);
  }

  /** Lists all keys of a user. @throws ForgeError as `Accounts.getByName` */
  async listAllOf(viewer: Viewer, name: string): Promise<readonly OpenPgpKey[]> {
    return (await this.listOf(viewer, name, { page: 1, limit: KEY_LIMITS.openPgpKeysPerAccountMax })).items;
  }

  /** @throws ForgeError as `Accounts.getOwnUser`, and `not_found` for the key of another user, too */
  async get(viewer: SignedIn, id: number): Promise<OpenPgpKey> {
    const account = await this.#use.accounts.getOwnUser(viewer);
    return required(await findOpenPgpKey(this.#use.database.reader, account.id, id));
  }

  /**
   * Adds a key. It needs an e-mail address of the account, or a signature of the token.
   *
   * @throws ForgeError as `Accounts.getOwnUser`; `invalid`; `busy`
   */
  async add(viewer: SignedIn, armored: string, signature: string): Promise<OpenPgpKey> {
    const account = await this.#use.accounts.getOwnUser(viewer);
    requireArmor(armored);
    const key = await this.#use.openPgp.readKey(armored);
    const isProved = signature.trim() !== '';
    if (isProved) await this.#requireProof(account, key.content, signature);
    else this.#requireOwnEmail(account, key.emails);
    const id = await this.#use.database.transaction(async (tx) => {
      await lockUser(tx, account.id);
      if ((await countOpenPgpKeys(tx, account.id)) >= KEY_LIMITS.openPgpKeysPerAccountMax) {
        throw invalid(`an account has at most ${KEY_LIMITS.openPgpKeysPerAccountMax} OpenPGP keys`);
      }
      const inserted = await insertOpenPgpKey(tx, account.id, { ...key, isProved });
      if (inserted === undefined) throw invalid('A key with the same id already exists');
      await insertEvent(tx, OPENPGP_KEY_CREATED, {
        actorId: account.id,
        repositoryId: null,
        payload: { accountId: account.id, keyId: inserted, fingerprint: key.fingerprint, isProved },
      });
      return inserted;
    });
    return required(await findOpenPgpKey(this.#use.database.reader, account.id, id));
  }

  /**
   * Proves the possession of a key that the viewer has added.
   *
   * @param keyId of the key or of one of its subkeys
   * @throws ForgeError as `get`; `invalid`; `busy`
   */
  async prove(viewer: SignedIn, keyId: string, signature: string): Promise<OpenPgpKey> {
    const account = await this.#use.accounts.getOwnUser(viewer);
    const padded = keyId.trim().replace(/^0x/i, '').toUpperCase().padStart(16, '0');
    const isPossible = /^[0-9A-F]{16}$/.test(padded);
    const db = this.#use.database.reader;
    const key = required(isPossible ? await findOpenPgpKeyById(db, account.id, padded) : undefined);
    await this.#requireProof(account, key.content, signature);
    await this.#use.database.transaction(async (tx) => {
      if (!(await setProved(tx, key.id))) throw notFound('key');
      await insertEvent(tx, OPENPGP_KEY_PROVED, {
        actorId: account.id,
        repositoryId: null,
        payload: { accountId: account.id, keyId: key.id, fingerprint: key.fingerprint },
      });
    });
    return { ...key, isProved: true };
  }

  /** @throws ForgeError as `get` */
  async delete(viewer: SignedIn, id: number): Promise<void> {
    const account = await this.#use.accounts.getOwnUser(viewer);
    await this.#use.database.transaction(async (tx) => {
      const fingerprint = await deleteOpenPgpKey(tx, account.id, id);
      if (fingerprint === undefined) throw notFound('key');
      await insertEvent(tx, OPENPGP_KEY_DELETED, {
        actorId: account.id,
        repositoryId: null,
        payload: { accountId: account.id, keyId: id, fingerprint },
      });
    });
  }

  #tokens(account: Account): readonly [string, string] {
    return proofTokens(account, this.#use.addresses, currentTimeMs());
  }

  /** @throws ForgeError `invalid` */
  #requireOwnEmail(account: Account, emails: readonly string[]): void {
    const own = [account.email.toLowerCase(), noreplyAddress(account, this.#use.addresses)];
    if (emails.some((email) => own.includes(email))) return;
    const [token] = this.#tokens(account);
    throw invalid(
      `None of the emails attached to the GPG key could be found. It may still be added if you provide a valid signature for the token: ${token}`,
    );
  }

  /** @throws ForgeError `invalid`, `busy` */
  async #requireProof(account: Account, content: string, armored: string): Promise<void> {
    const tokens = this.#tokens(account);
    const signature = decodeArmor(armored, 'PGP SIGNATURE');
    const key = Buffer.from(content, 'base64');
    for (const text of tokens.flatMap((token) => LINE_ENDS.map((end) => token + end))) {
      const claim = { key, signature: signature ?? Buffer.alloc(0), payload: Buffer.from(text) };
      if (signature !== undefined && (await this.#use.openPgp.isValid(claim))) return;
    }
    throw invalid(
      `The provided GPG key, signature and token do not match or token is out of date. Provide a valid signature for the token: ${tokens[0]}`,
    );
  }
}

/** @throws UnusableKeyError */
function requireArmor(armored: string): void {
  if (PRIVATE_KEY.test(armored)) {
    throw new UnusableKeyError(
      'it is a private key. Keep it secret, and add what gpg --armor --export prints',
    );
  }
  if (armored.length > KEY_LIMITS.openPgpKeyCharsMax) {
    throw new UnusableKeyError(`it has more than ${KEY_LIMITS.openPgpKeyCharsMax} characters`);
  }
  if (!PUBLIC_KEY.test(armored)) throw new UnusableKeyError('it must be what gpg --armor --export prints');
}

/** @throws ForgeError `not_found` */
function required(key: OpenPgpKey | undefined): OpenPgpKey {
  if (key === undefined) throw notFound('key');
  return key;
}
