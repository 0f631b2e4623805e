import type { Selectable } from 'kysely';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { fragment, values } from '../../base/database/fragment.ts';
import { query, queryFirst, queryPage } from '../../base/database/query.ts';
import type { AccountLinksTable } from '../../base/database/schema/sign-ins.ts';
import type { AccountLink, LinkPurpose } from './model.ts';

type LinkRow = Selectable<AccountLinksTable>;

export async function insertLink(tx: Tx, link: Omit<AccountLink, 'id'>): Promise<AccountLink> {
  const row = await tx
    .insertInto('account_links')
    .values({
      digest: link.digest,
      seed: link.seed,
      purpose: link.purpose,
      account_id: link.accountId,
      version: link.version,
      email: link.email,
      lower_email: link.email.toLowerCase(),
      name: link.name,
      password_hash: link.passwordHash,
      team_id: link.teamId,
      inviter_id: link.inviterId,
      created_at: link.createdAt,
      ends_at: link.endsAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return linkOf(row);
}

export async function findLink(
  db: Db,
  digest: string,
  purpose: LinkPurpose,
): Promise<AccountLink | undefined> {
  const row = await queryFirst<LinkRow>(
    db,
    fragment`select * from account_links where digest = ${digest} and purpose = ${purpose}`,
  );
  return row && linkOf(row);
}

export async function findLinkById(db: Db, id: number): Promise<AccountLink | undefined> {
  const row = await queryFirst<LinkRow>(db, fragment`select * from account_links where id = ${id}`);
  return row && linkOf(row);
}

/** @returns whether the link was still there */
export async function deleteLink(tx: Tx, id: number, purpose: LinkPurpose): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('account_links')
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the links that sign up or invite the owner of an address. */
export async function deleteLinksToJoin(tx: Tx, email: string): Promise<void> {
  await query(
    tx,
    fragment`delete from account_links where lower_email = ${email.toLowerCase()}
      and purpose in (${values(['sign-up', 'invitation'])})`,
  );
}

/** Deletes the links of an account that undo a change, except those up to an id. */
export async function deleteUndoLinksAfter(tx: Tx, accountId: number, id: number): Promise<void> {
  await query(
    tx,
    fragment`delete from account_links where account_id = ${accountId} and purpose = 'undo-email' and id > ${id}`,
  );
}

export async function deleteEndedLinks(tx: Tx, now: number): Promise<void> {
  await query(tx, fragment`delete from account_links where ends_at <= ${now}`);
}

/** Returns the name and the primary address of an account; '' without one. */
export async function findAddress(
  tx: Tx,
  accountId: number,
): Promise<{ readonly name: string; readonly email: string }> {
  const row = await queryFirst<{ name: string; email: string }>(
    tx,
    fragment`select name, email from accounts where id = ${accountId}`,
  );
  return row ?? { name: '', email: '' };
}

/** Counts the links to an address that were made after a time, and before a link. */
export async function countLinksBefore(
  db: Db,
  { id, email }: Pick<AccountLink, 'id' | 'email'>,
  after: number,
): Promise<number> {
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from account_links
      where lower_email = ${email.toLowerCase()} and created_at > ${after} and id < ${id}`,
  );
  return Number(row?.count ?? 0);
}

/** Counts the links of an account for a purpose that were made after a time. */
export async function countLinksOf(
  db: Db,
  { accountId, purpose }: { readonly accountId: number; readonly purpose: LinkPurpose },
  after: number,
): Promise<number> {
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from account_links
      where account_id = ${accountId} and purpose = ${purpose} and created_at > ${after}`,
  );
  return Number(row?.count ?? 0);
}

/** Lists links that still work, the newest first. */
export function listLinks(
  db: Db,
  { purpose, now }: { purpose: LinkPurpose; now: number },
  paging: Paging,
): Promise<Page<AccountLink>> {
  const found = {
    select: fragment`*`,
    from: fragment`account_links where purpose = ${purpose} and ends_at > ${now}`,
    orderBy: fragment`id desc`,
  };
  return queryPage(db, found, paging, linkOf);
}

function linkOf(row: LinkRow): AccountLink {
  return {
    id: row.id,
    purpose: row.purpose as LinkPurpose,
    digest: row.digest,
    seed: row.seed,
    email: row.email,
    accountId: row.account_id,
    version: row.version,
    name: row.name,
    passwordHash: row.password_hash,
    teamId: row.team_id,
    inviterId: row.inviter_id,
    createdAt: row.created_at,
    endsAt: row.ends_at,
  };
}
