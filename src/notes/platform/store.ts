import type { Db, Tx } from '../../base/database/database.ts';
import { fragment } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { DeviceGrant } from './model.ts';

interface Columns {
  id: number;
  client: string;
  account_id: number | null;
  device: string;
  notes_only: 0 | 1;
}

/** Keeps a request of a client to sign in. Its tokens are stored as digests. */
export async function insertSignIn(
  tx: Tx,
  row: { pollDigest: string; pageDigest: string; client: string; createdAt: number },
): Promise<void> {
  await query(
    tx,
    fragment`insert into sign_in_requests (poll_digest, page_digest, client, device, created_at)
      values (${row.pollDigest}, ${row.pageDigest}, ${row.client}, '', ${row.createdAt})`,
  );
}

export async function deleteSignInsBefore(tx: Tx, time: number): Promise<void> {
  await query(tx, fragment`delete from sign_in_requests where created_at < ${time}`);
}

/** Finds a request that no user has granted yet, by the token of its page. */
export async function findOpenSignIn(
  db: Db,
  pageDigest: string,
  since: number,
): Promise<{ id: number; client: string } | undefined> {
  return queryFirst<Pick<Columns, 'id' | 'client'>>(
    db,
    fragment`select id, client from sign_in_requests
      where page_digest = ${pageDigest} and created_at >= ${since} and account_id is null`,
  );
}

/** @returns false if someone else has granted it */
export async function grantSignIn(
  tx: Tx,
  id: number,
  { accountId, device, notesOnly }: DeviceGrant,
): Promise<boolean> {
  const granted = await queryFirst(
    tx,
    fragment`update sign_in_requests set account_id = ${accountId}, device = ${device},
      notes_only = ${notesOnly ? 1 : 0} where id = ${id} and account_id is null returning id`,
  );
  return granted !== undefined;
}

/** Finds a granted request by the token of its client. */
export async function findGrantedSignIn(
  db: Db,
  pollDigest: string,
  since: number,
): Promise<(DeviceGrant & { readonly id: number }) | undefined> {
  const row = await queryFirst<Columns>(
    db,
    fragment`select id, client, account_id, device, notes_only from sign_in_requests
      where poll_digest = ${pollDigest} and created_at >= ${since}`,
  );
  if (row === undefined || row.account_id === null) return undefined;
  return { id: row.id, accountId: row.account_id, device: row.device, notesOnly: row.notes_only === 1 };
}

export async function deleteGrantedSignIns(tx: Tx, accountId: number): Promise<void> {
  await query(tx, fragment`delete from sign_in_requests where account_id = ${accountId}`);
}

/** @returns false if it is gone already: a grant is used once */
export async function deleteSignIn(tx: Tx, id: number): Promise<boolean> {
  const deleted = await queryFirst(tx, fragment`delete from sign_in_requests where id = ${id} returning id`);
  return deleted !== undefined;
}
