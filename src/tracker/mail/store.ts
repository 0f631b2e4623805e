import type { Db, Tx } from '../../base/database/database.ts';
import { flag, fragment, joined, raw, values } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { Notified } from '../notifications/delivery.ts';
import { MAIL_LIMITS } from './limits.ts';
import { MAIL_LEVELS, type MailLevel, type MailNotice, type MailPreference, type Reader } from './model.ts';

export async function findPreference(
  db: Db,
  accountId: number,
): Promise<Omit<MailPreference, 'isOn'> | undefined> {
  const row = await queryFirst<{ email: string; level: string | null }>(
    db,
    fragment`select a.email, p.level from accounts a left join mail_preferences p on p.account_id = a.id
      where a.id = ${accountId}`,
  );
  return row && { level: MAIL_LEVELS.find((level) => level === row.level) ?? 'none', address: row.email };
}

/** Stores what a user has chosen. A user who wants nothing loses the notices that wait. */
export async function setPreference(tx: Tx, accountId: number, level: MailLevel): Promise<void> {
  await query(
    tx,
    level === 'none'
      ? fragment`delete from mail_preferences where account_id = ${accountId}`
      : fragment`insert into mail_preferences (account_id, level) values (${accountId}, ${level})
          on conflict (account_id) do update set level = excluded.level`,
  );
}

/** Records what is to be mailed to those of some users who want it. @returns whether there is anything */
export async function insertNotices(tx: Tx, { notice, accountIds }: Notified): Promise<boolean> {
  const { issueId, to, position, earlier = [] } = notice;
  const takesPart = joined(
    [
      fragment`select 1 from issues i where i.id = ${issueId} and i.author_id = p.account_id`,
      fragment`select 1 from issue_assignees s where s.issue_id = ${issueId} and s.subject_id = p.account_id`,
      fragment`select 1 from issue_mentions m where m.issue_id = ${issueId} and m.subject_id = p.account_id`,
      fragment`select 1 from pull_reviews v where v.issue_id = ${issueId} and v.account_id = p.account_id`,
    ],
    ' union all ',
  );
  const inserted = await queryFirst(
    tx,
    fragment`insert into mail_notices (account_id, issue_id, event_position, created_at)
      select p.account_id, cast(${issueId} as bigint), e.position, e.created_at
        from mail_preferences p join events e on e.position in (${values([...earlier, position])})
        where p.account_id in (${values(accountIds)})
          and (p.level = 'all' or ${flag(to !== 'concerned')} = 1 or exists (${takesPart}))
      on conflict (account_id, event_position) do nothing returning id`,
  );
  return inserted !== undefined;
}

interface ReaderRow {
  readonly id: number;
  readonly name: string;
  readonly is_admin: number;
  readonly is_restricted: number;
  readonly email: string;
  readonly failures: number;
  readonly hour_began_at: number;
  readonly sent_in_hour: number;
}

/**
 * Lists users to whom something is to be mailed now, in the order of their ids. A user who may not sign in gets nothing.
 *
 * @param part.after leaves out ids up to this one
 */
export async function listReaders(
  db: Db,
  { now, after }: { now: number; after: number },
): Promise<readonly Reader[]> {
  const rows = await query<ReaderRow>(
    db,
    fragment`select a.id, a.name, a.is_admin, a.is_restricted, a.email, p.failures, p.hour_began_at, p.sent_in_hour
      from mail_preferences p join accounts a on a.id = p.account_id
      where p.account_id > ${after} and p.next_at <= ${now} and a.is_active = 1 and a.is_login_prohibited = 0
        and a.email <> '' and exists (select 1 from mail_notices n where n.account_id = p.account_id)
      order by p.account_id limit ${MAIL_LIMITS.mailedReadMax}`,
  );
  return rows.map((row) => {
    const isSameHour = now - row.hour_began_at < MAIL_LIMITS.mailHourMs;
    return {
      id: row.id,
      name: row.name,
      isAdmin: row.is_admin === 1,
      isRestricted: row.is_restricted === 1,
      address: row.email,
      failures: row.failures,
      sentInHour: isSameHour ? row.sent_in_hour : 0,
      hourEndsAt: (isSameHour ? row.hour_began_at : now) + MAIL_LIMITS.mailHourMs,
    };
  });
}

/** Lists what is to be mailed to a user first, in the order in which it happened. */
export async function listNotices(db: Db, accountId: number): Promise<readonly MailNotice[]> {
  const rows = await query<{ id: number; issue_id: number; event_position: number; created_at: number }>(
    db,
    fragment`select id, issue_id, event_position, created_at from mail_notices
      where account_id = ${accountId} order by event_position limit ${MAIL_LIMITS.noticesListedMax}`,
  );
  return rows.map((row) => ({
    id: row.id,
    issueId: row.issue_id,
    position: row.event_position,
    at: row.created_at,
  }));
}

/** Returns the position of the last event that is to be mailed to a user; 0: none. */
export async function findLastPosition(db: Db, accountId: number): Promise<number> {
  const row = await queryFirst<{ last: number | null }>(
    db,
    fragment`select max(event_position) as last from mail_notices where account_id = ${accountId}`,
  );
  return row?.last ?? 0;
}

export async function deleteNotices(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await query(tx, fragment`delete from mail_notices where id in (${values(ids)})`);
}

/** Forgets what is to be mailed to a user, up to an event. */
export async function deleteNoticesUpTo(tx: Tx, accountId: number, position: number): Promise<void> {
  await query(
    tx,
    fragment`delete from mail_notices where account_id = ${accountId} and event_position <= ${position}`,
  );
}

/** Counts a mail that was sent. */
export async function recordSent(tx: Tx, { id, hourEndsAt }: Reader): Promise<void> {
  const began = hourEndsAt - MAIL_LIMITS.mailHourMs;
  await query(
    tx,
    fragment`update mail_preferences set failures = 0, hour_began_at = ${began},
        sent_in_hour = case when hour_began_at = ${began} then sent_in_hour + 1 else 1 end
      where account_id = ${id}`,
  );
}

/** Sends nothing more to a user before a time. */
export async function putOff(
  tx: Tx,
  { id }: Reader,
  { failures, nextAt }: { failures: number; nextAt: number },
): Promise<void> {
  await query(
    tx,
    fragment`update mail_preferences set failures = ${failures}, next_at = ${nextAt} where account_id = ${id}`,
  );
}

/** Returns those of some issues whose notifications a user has switched off. */
export async function listMuted(
  db: Db,
  accountId: number,
  issueIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await query<{ issue_id: number }>(
    db,
    fragment`select issue_id from issue_subscriptions
      where account_id = ${accountId} and is_watching = 0 and issue_id in (${values(issueIds)})`,
  );
  return new Set(rows.map(({ issue_id }) => issue_id));
}

/** Where a text is: of an issue, a comment, a review, or a comment on a line. */
export type TextSource = 'issue' | 'comment' | 'review' | 'line';

export interface FoundText {
  readonly body: string;
  /** of a comment on a line; null for other texts */
  readonly path: string | null;
}

const SOURCES: Readonly<Record<TextSource, string>> = {
  issue: 'select id, body, null as path from issues where id in',
  comment: `select id, body, null as path from issue_entries where kind = 'comment' and id in`,
  review: `select id, body, null as path from pull_reviews where state <> 'pending' and id in`,
  line: 'select id, body, path from pull_review_comments where id in',
};

/** Reads texts of one kind, by the ids of what has them. Deleted texts are missing. */
export async function findTexts(
  db: Db,
  source: TextSource,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FoundText>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: number; body: string; path: string | null }>(
    db,
    fragment`${raw(SOURCES[source])} (${values(ids)})`,
  );
  return new Map(rows.map(({ id, body, path }) => [id, { body, path }]));
}
