import type { Selectable } from 'kysely';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, fragment } from '../../base/database/fragment.ts';
import { queryFirst, queryPage } from '../../base/database/query.ts';
import type { SessionsTable } from '../../base/database/schema/sign-ins.ts';
import { SIGN_IN_COLUMNS, type SignInColumns, signInStateOf } from '../accounts/columns.ts';
import type { Proof, Session, SessionBearer } from './model.ts';

type SessionRow = Omit<Selectable<SessionsTable>, 'digest' | 'version'>;

interface BearerRow extends SignInColumns, Omit<SessionRow, 'id'> {
  session_id: number;
  version: number;
}

/** of a record, except the id */
const SESSION_COLUMNS = fragment`s.account_id, s.is_remembered, s.proofs, s.user_agent, s.address, s.created_at,
  s.proved_at, s.seen_at, s.ends_at`;

/** Finds a session with the current state of its account, in one query. */
export function findBearer(db: Db, digest: string): Promise<SessionBearer | undefined> {
  return findBearerWhere(db, fragment`s.digest = ${digest}`);
}

export function findBearerById(db: Db, id: number): Promise<SessionBearer | undefined> {
  return findBearerWhere(db, fragment`s.id = ${id}`);
}

async function findBearerWhere(db: Db, condition: Fragment): Promise<SessionBearer | undefined> {
  const row = await queryFirst<BearerRow>(
    db,
    fragment`select s.id as session_id, s.version, ${SESSION_COLUMNS}, ${SIGN_IN_COLUMNS}
    from sessions s join accounts a on a.id = s.account_id where ${condition}`,
  );
  if (row === undefined) return undefined;
  return {
    session: sessionOf({ ...row, id: row.session_id }),
    version: row.version,
    account: signInStateOf(row),
  };
}

export async function hasSession(db: Db, id: number): Promise<boolean> {
  const row = await db.selectFrom('sessions').where('id', '=', id).select('id').executeTakeFirst();
  return row !== undefined;
}

/** Lists the sessions of an account that have not ended, the most recently used first. */
export function listSessions(
  db: Db,
  { accountId, now }: { readonly accountId: number; readonly now: number },
  paging: Paging,
): Promise<Page<Session>> {
  const list = {
    select: fragment`s.id, ${SESSION_COLUMNS}`,
    from: fragment`sessions s where s.account_id = ${accountId} and s.ends_at > ${now}`,
    orderBy: fragment`s.seen_at desc, s.id desc`,
  };
  return queryPage(db, list, paging, sessionOf);
}

export async function insertSession(
  tx: Tx,
  session: Omit<Session, 'id'> & { readonly digest: string; readonly version: number },
): Promise<number> {
  const { id } = await tx
    .insertInto('sessions')
    .values({
      account_id: session.accountId,
      version: session.version,
      digest: session.digest,
      is_remembered: session.isRemembered ? 1 : 0,
      proofs: session.proofs.join(','),
      user_agent: session.userAgent,
      address: session.address,
      created_at: session.createdAt,
      proved_at: session.provedAt,
      seen_at: session.seenAt,
      ends_at: session.endsAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Deletes the sessions of all accounts that have ended. */
export async function deleteEndedSessions(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('sessions').where('ends_at', '<=', now).execute();
}

/** Deletes the sessions of an account that were used least recently, so that `kept` remain. */
export async function deleteLeastRecent(tx: Tx, accountId: number, kept: number): Promise<void> {
  const recent = tx
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(kept);
  await tx.deleteFrom('sessions').where('account_id', '=', accountId).where('id', 'not in', recent).execute();
}

/** @returns whether the account had the session */
export async function deleteSession(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * @param exceptId of a session that stays; null for none
 * @returns whether there were any
 */
export async function deleteSessionsOf(tx: Tx, accountId: number, exceptId: number | null): Promise<boolean> {
  const rows = await tx
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .$if(exceptId !== null, (of) => of.where('id', '!=', exceptId))
    .returning('id')
    .execute();
  return rows.length > 0;
}

/** Records a request. An earlier one that is recorded late changes nothing. */
export async function setSeen(
  tx: Tx,
  id: number,
  seen: { readonly at: number; readonly address: string; readonly endsAt: number },
): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ seen_at: seen.at, address: seen.address, ends_at: seen.endsAt })
    .where('id', '=', id)
    .where('seen_at', '<', seen.at)
    .execute();
}

/** Replaces the secret of a session whose user has proved who they are. @returns whether there is the session */
export async function setProved(
  tx: Tx,
  id: number,
  proved: { readonly digest: string; readonly at: number },
): Promise<boolean> {
  const row = await tx
    .updateTable('sessions')
    .set({ digest: proved.digest, proved_at: proved.at })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

function sessionOf(row: SessionRow): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    isRemembered: row.is_remembered === 1,
    proofs: row.proofs.split(',') as Proof[],
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.created_at,
    provedAt: row.proved_at,
    seenAt: row.seen_at,
    endsAt: row.ends_at,
  };
}
