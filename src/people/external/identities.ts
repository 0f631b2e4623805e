import type { SignedIn } from '../../api/access/viewer.ts';
import { forbidden, notFound } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockKind } from '../accounts/locks.ts';
import type { Authentication } from '../authentication/service.ts';
import type { Passkeys } from '../second-factor/passkeys.ts';
import { IDENTITY_LINKED, IDENTITY_UNLINKED } from './events.ts';
import { EXTERNAL_LIMITS } from './limits.ts';
import type { ExternalUser, Identity, ProviderSettings } from './model.ts';
import { deleteIdentity, findIdentity, insertIdentity, listIdentities, setUsed } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly authentication: Authentication;
  readonly passkeys: Pick<Passkeys, 'list'>;
  readonly signInProviders: readonly ProviderSettings[];
}

/** Accounts at providers with which users sign in. */
export class Identities {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Finds the identity that a provider has just proved; undefined if no account has it. */
  find(user: Pick<ExternalUser, 'issuer' | 'subject'>): Promise<Identity | undefined> {
    return findIdentity(this.#use.database.reader, user);
  }

  /** Whether an account has an identity of an issuer. */
  async hasAny(accountId: number, issuer: string): Promise<boolean> {
    const identities = await listIdentities(this.#use.database.reader, accountId);
    return identities.some((identity) => identity.issuer === issuer);
  }

  /** Lists the viewer's own identities, the oldest first. */
  list(viewer: SignedIn): Promise<readonly Identity[]> {
    return listIdentities(this.#use.database.reader, viewer.accountId);
  }

  /**
   * Connects an account with the identity that a provider has just proved.
   *
   * @throws ForgeError `not_found`, `forbidden` at the limit; a unique violation if an account has the identity
   */
  async add(tx: Tx, accountId: number, { issuer, subject, name }: ExternalUser): Promise<void> {
    await lockKind(tx, accountId);
    const { identitiesPerAccountMax } = EXTERNAL_LIMITS;
    if ((await listIdentities(tx, accountId)).length >= identitiesPerAccountMax)
      throw forbidden(`an account has at most ${identitiesPerAccountMax} linked accounts: remove one first`);
    const now = currentTimeMs();
    const identity = { accountId, issuer, subject, name, createdAt: now, usedAt: now };
    const identityId = await insertIdentity(tx, identity);
    const payload = { accountId, identityId, issuer };
    await insertEvent(tx, IDENTITY_LINKED, { actorId: accountId, repositoryId: null, payload });
  }

  /**
   * Records a sign-in.
   *
   * @throws ForgeError `forbidden` if the user has removed the identity meanwhile
   */
  async recordUse(tx: Tx, identity: Identity, { name }: ExternalUser): Promise<void> {
    if (!(await setUsed(tx, identity, { name, at: currentTimeMs() })))
      throw forbidden('the account is not linked any more: sign in again');
  }

  /**
   * Removes one of the viewer's own identities.
   *
   * @throws ForgeError `not_found`; `forbidden` for the last one with which the viewer can sign in, and for a program
   */
  async remove(viewer: SignedIn, id: number): Promise<void> {
    requireBrowser(viewer);
    const { accountId } = viewer;
    const { authentication, passkeys } = this.#use;
    const hasOther =
      (await authentication.hasPassword(accountId)) || (await passkeys.list(accountId)).length > 0;
    await this.#use.database.transaction(async (tx) => {
      await lockKind(tx, accountId);
      const identities = await listIdentities(tx, accountId);
      const removed = identities.find((identity) => identity.id === id);
      if (removed === undefined) throw notFound('linked account');
      if (!this.#signsInWithout(removed, { identities, hasOther }))
        throw forbidden(
          'you could not sign in any more: an administrator can give you a password, or link another account first',
        );
      await deleteIdentity(tx, accountId, id);
      const payload = { accountId, identityId: id, issuer: removed.issuer };
      await insertEvent(tx, IDENTITY_UNLINKED, { actorId: accountId, repositoryId: null, payload });
    });
  }

  /** Removes what was linked with an account since a time, for an owner who takes the account back. */
  async removeSince(
    tx: Tx,
    { accountId, since }: { readonly accountId: number; readonly since: number },
  ): Promise<void> {
    await lockKind(tx, accountId);
    for (const { id: identityId, issuer, createdAt } of await listIdentities(tx, accountId)) {
      if (createdAt < since) continue;
      await deleteIdentity(tx, accountId, identityId);
      const payload = { accountId, identityId, issuer };
      await insertEvent(tx, IDENTITY_UNLINKED, { actorId: accountId, repositoryId: null, payload });
    }
  }

  /** Whether a user can sign in without one of the identities. A password or a passkey remains, once there is one. */
  #signsInWithout(
    { id: removedId, issuer: removedIssuer }: Identity,
    { identities, hasOther }: { identities: readonly Identity[]; hasOther: boolean },
  ): boolean {
    const { settings } = this.#use.authentication;
    const issuers = new Set(this.#use.signInProviders.map(({ issuer }) => issuer));
    if (hasOther || settings.proxy !== null || !issuers.has(removedIssuer)) return true;
    return identities.some(({ id, issuer }) => id !== removedId && issuers.has(issuer));
  }
}

/**
 * A token must not make a credential that stays when the token is revoked.
 *
 * @throws ForgeError `forbidden`
 */
export function requireBrowser({ credential }: SignedIn): void {
  if (credential !== 'session')
    throw forbidden('only a browser that has signed in can change linked accounts');
}
