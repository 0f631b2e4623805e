import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { digestOfSecret, generateSecret } from '../../base/core/secrets.ts';
import { hasUnseen, isPlainLine } from '../../base/core/text/text.ts';
import { type Database, isForeignKeyViolation, type Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockKind, lockSignIn } from '../accounts/locks.ts';
import { OAUTH_APPLICATION_CHANGED, OAUTH_APPLICATION_CREATED, OAUTH_APPLICATION_DELETED } from './events.ts';
import { OAUTH_LIMITS } from './limits.ts';
import type { ApplicationFields, CreatedApplication, OAuthApplication } from './model.ts';
import { problemOfRedirectUri } from './redirect-uris.ts';
import {
  countApplications,
  deleteApplication,
  findApplication,
  findClient,
  insertApplication,
  listApplications,
  lockApplication,
  updateApplication,
} from './store/applications.ts';

interface Dependencies {
  readonly database: Database;
}

/** Who has an application: an account, which the caller may change, or the site. */
export interface ApplicationOwner {
  /** null: the site */
  readonly accountId: number | null;
}

/** Programs that users can let act for them. The routes decide who may change the applications of an owner. */
export class OAuthApplications {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Finds an application by the id that it sends. */
  find(clientId: string): Promise<OAuthApplication | undefined> {
    return isPlainLine(clientId)
      ? findClient(this.#use.database.reader, clientId)
      : Promise.resolve(undefined);
  }

  /**
   * Finds the application of a client that proves who it is.
   *
   * @param secret '' or undefined for a public client, which has none
   * @throws ForgeError `unauthenticated`
   */
  async authenticate(clientId: string, secret: string | undefined): Promise<OAuthApplication> {
    const client = isPlainLine(clientId) ? await findClient(this.#use.database.reader, clientId) : undefined;
    if (client === undefined || !isSecretOf(client, secret ?? ''))
      throw new ForgeError({ kind: 'unauthenticated', what: 'the client id or the client secret is wrong' });
    return client;
  }

  list({ accountId }: ApplicationOwner, paging: Paging): Promise<Page<OAuthApplication>> {
    return listApplications(this.#use.database.reader, accountId, paging);
  }

  /** @throws ForgeError `not_found` */
  async get({ accountId }: ApplicationOwner, id: number): Promise<OAuthApplication> {
    const found = await findApplication(this.#use.database.reader, accountId, id);
    if (found === undefined) throw notFound('application');
    return found;
  }

  /**
   * Creates an application. Without the field, it is a public client, as in the reference.
   *
   * @throws ForgeError `bad_request`; `unauthenticated` if the viewer has changed meanwhile
   */
  async create(
    viewer: SignedIn,
    { accountId }: ApplicationOwner,
    fields: ApplicationFields,
  ): Promise<CreatedApplication> {
    const { name = '', redirectUris = [], isConfidential = false, skipsConsent = false } = fields;
    const usable = usableFields({ name, redirectUris, isConfidential, skipsConsent });
    const secret = usable.isConfidential ? generateSecret('client-secret') : '';
    const created = await this.#use.database
      .transaction(async (tx) => {
        await lockSignIn(tx, viewer.accountId, viewer.source?.version);
        if (accountId !== null) await lockKind(tx, accountId);
        const { applicationsPerOwnerMax } = OAUTH_LIMITS;
        if ((await countApplications(tx, accountId)) >= applicationsPerOwnerMax)
          throw unusable(`there can be at most ${applicationsPerOwnerMax} applications: delete some first`);
        const application = await insertApplication(tx, {
          ...usable,
          accountId,
          clientId: randomUUID(),
          secretDigest: digestOrNull(secret),
        });
        const payload = { accountId, applicationId: application.id, name: application.name };
        await insertEvent(tx, OAUTH_APPLICATION_CREATED, {
          actorId: viewer.accountId,
          repositoryId: null,
          payload,
        });
        return application;
      })
      .catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? notFound('account') : error;
      });
    return { ...created, secret };
  }

  /**
   * Changes an application.
   *
   * @param options.renewsSecret whether it gets a new secret. It also gets one when it becomes a confidential client.
   * @throws ForgeError `not_found`, `bad_request`; `forbidden` for one that every server has
   */
  async change(
    viewer: SignedIn,
    owner: ApplicationOwner & { readonly id: number },
    fields: ApplicationFields,
    { renewsSecret }: { readonly renewsSecret: boolean },
  ): Promise<CreatedApplication> {
    return this.#use.database.transaction(async (tx) => {
      const before = await this.#lock(tx, viewer, owner);
      const usable = usableFields({
        name: fields.name ?? before.name,
        redirectUris: fields.redirectUris ?? before.redirectUris,
        isConfidential: fields.isConfidential ?? before.isConfidential,
        skipsConsent: fields.skipsConsent ?? before.skipsConsent,
      });
      const hasNewSecret = usable.isConfidential && (renewsSecret || before.secretDigest === null);
      const secret = hasNewSecret ? generateSecret('client-secret') : '';
      const kept = usable.isConfidential ? before.secretDigest : null;
      const secretDigest = hasNewSecret ? digestOrNull(secret) : kept;
      const changed = await updateApplication(tx, before.id, { ...usable, secretDigest });
      const payload = {
        accountId: owner.accountId,
        applicationId: before.id,
        name: changed.name,
        hasNewSecret,
      };
      await insertEvent(tx, OAUTH_APPLICATION_CHANGED, {
        actorId: viewer.accountId,
        repositoryId: null,
        payload,
      });
      return { ...changed, secret };
    });
  }

  /**
   * Deletes an application, and ends all that was granted to it.
   *
   * @throws ForgeError `not_found`; `forbidden` for one that every server has
   */
  async delete(viewer: SignedIn, owner: ApplicationOwner & { readonly id: number }): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const { id, name } = await this.#lock(tx, viewer, owner);
      await deleteApplication(tx, id);
      const payload = { accountId: owner.accountId, applicationId: id, name };
      await insertEvent(tx, OAUTH_APPLICATION_DELETED, {
        actorId: viewer.accountId,
        repositoryId: null,
        payload,
      });
    });
  }

  async #lock(
    tx: Tx,
    viewer: SignedIn,
    { accountId, id }: ApplicationOwner & { readonly id: number },
  ): Promise<NonNullable<Awaited<ReturnType<typeof lockApplication>>>> {
    await lockSignIn(tx, viewer.accountId, viewer.source?.version);
    const found = await lockApplication(tx, accountId, id);
    if (found === undefined) throw notFound('application');
    if (found.isBuiltIn) throw forbidden('every server has this application, so it cannot be changed');
    return found;
  }
}

/** The secret of a public client is no secret, so it proves nothing. */
function isSecretOf(client: { readonly secretDigest: string | null }, secret: string): boolean {
  if (client.secretDigest === null) return true;
  return timingSafeEqual(Buffer.from(digestOfSecret(secret)), Buffer.from(client.secretDigest));
}

function digestOrNull(secret: string): string | null {
  return secret === '' ? null : digestOfSecret(secret);
}

type WholeFields = Pick<OAuthApplication, 'name' | 'redirectUris' | 'isConfidential' | 'skipsConsent'>;

/** @throws ForgeError `bad_request` */
function usableFields(fields: WholeFields): WholeFields {
  const name = fields.name.trim();
  const { applicationNameCharsMax, redirectUrisMax } = OAUTH_LIMITS;
  if (name === '') throw unusable('[Name]: Required');
  if (name.length > applicationNameCharsMax) throw unusable(`[Name]: MaxSize(${applicationNameCharsMax})`);
  if (!isPlainLine(name) || hasUnseen(name))
    throw unusable('[Name]: must be one line of characters that people see');
  const redirectUris = [...new Set(fields.redirectUris)];
  if (redirectUris.length === 0) throw unusable('[RedirectURIs]: must name an address');
  if (redirectUris.length > redirectUrisMax) throw unusable(`[RedirectURIs]: MaxSize(${redirectUrisMax})`);
  for (const uri of redirectUris) {
    const problem = problemOfRedirectUri(uri);
    if (problem !== undefined) throw unusable(`[RedirectURIs]: a redirect address ${problem}`);
  }
  return { ...fields, name, redirectUris };
}

function unusable(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
