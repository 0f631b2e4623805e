import type { Selectable } from 'kysely';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment } from '../../../base/database/fragment.ts';
import { queryCount, queryPage } from '../../../base/database/query.ts';
import type { OAuthApplicationsTable } from '../../../base/database/schema/tokens.ts';
import type { OAuthApplication } from '../model.ts';

type ApplicationRow = Omit<Selectable<OAuthApplicationsTable>, 'secret_digest'>;
/** null: the site */
type OwnerId = number | null;

/** of a record */
const COLUMNS = fragment`id, account_id, client_id, name, redirect_uris, is_confidential, skips_consent, is_built_in,
  created_at`;

/** An application with the digest of its secret; null for a public client. */
export interface StoredClient extends OAuthApplication {
  readonly secretDigest: string | null;
}

export async function findClient(db: Db, clientId: string): Promise<StoredClient | undefined> {
  const row = await db
    .selectFrom('oauth_applications')
    .selectAll()
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row === undefined ? undefined : { ...applicationOf(row), secretDigest: row.secret_digest };
}

export async function findApplication(
  db: Db,
  ownerId: OwnerId,
  id: number,
): Promise<OAuthApplication | undefined> {
  const row = await db
    .selectFrom('oauth_applications')
    .selectAll()
    .where('account_id', ownerId === null ? 'is' : '=', ownerId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : applicationOf(row);
}

export function listApplications(db: Db, ownerId: OwnerId, paging: Paging): Promise<Page<OAuthApplication>> {
  const list = { select: COLUMNS, from: applicationsOf(ownerId), orderBy: fragment`id` };
  return queryPage(db, list, paging, applicationOf);
}

export function countApplications(db: Db, ownerId: OwnerId): Promise<number> {
  return queryCount(db, applicationsOf(ownerId));
}

function applicationsOf(ownerId: OwnerId): Fragment {
  return ownerId === null
    ? fragment`oauth_applications where account_id is null`
    : fragment`oauth_applications where account_id = ${ownerId}`;
}

/** @throws a foreign key violation if the owner is gone */
export async function insertApplication(
  tx: Tx,
  application: Omit<StoredClient, 'id' | 'isBuiltIn' | 'createdAt'>,
): Promise<OAuthApplication> {
  const row = await tx
    .insertInto('oauth_applications')
    .values({
      account_id: application.accountId,
      client_id: application.clientId,
      is_built_in: 0,
      created_at: currentTimeMs(),
      ...columnsOf(application),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return applicationOf(row);
}

export async function updateApplication(
  tx: Tx,
  id: number,
  application: Parameters<typeof columnsOf>[0],
): Promise<OAuthApplication> {
  const row = await tx
    .updateTable('oauth_applications')
    .set(columnsOf(application))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return applicationOf(row);
}

function columnsOf(
  application: Pick<
    StoredClient,
    'name' | 'redirectUris' | 'isConfidential' | 'skipsConsent' | 'secretDigest'
  >,
) {
  return {
    name: application.name,
    secret_digest: application.secretDigest,
    redirect_uris: application.redirectUris.join('\n'),
    is_confidential: application.isConfidential ? 1 : 0,
    skips_consent: application.skipsConsent ? 1 : 0,
  } as const;
}

/** Finds an application that can be changed, and locks it until the transaction ends. */
export async function lockApplication(
  tx: Tx,
  ownerId: OwnerId,
  id: number,
): Promise<StoredClient | undefined> {
  const row = await tx
    .updateTable('oauth_applications')
    .set((set) => ({ is_built_in: set.ref('is_built_in') }))
    .where('account_id', ownerId === null ? 'is' : '=', ownerId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : { ...applicationOf(row), secretDigest: row.secret_digest };
}

/** Deletes an application with all that was granted to it. */
export async function deleteApplication(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('oauth_applications').where('id', '=', id).execute();
}

function applicationOf(row: ApplicationRow): OAuthApplication {
  return {
    id: row.id,
    accountId: row.account_id,
    clientId: row.client_id,
    name: row.name,
    redirectUris: row.redirect_uris.split('\n'),
    isConfidential: row.is_confidential === 1,
    skipsConsent: row.skips_consent === 1,
    isBuiltIn: row.is_built_in === 1,
    createdAt: row.created_at,
  };
}
