import { RANKS } from '../../../api/access/store/levels.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import type { Webhook } from '../model.ts';

/** A stopped webhook that is to be mailed to a person. */
export interface StopNotice
  extends Pick<Webhook, 'repositoryId' | 'ownerId' | 'ownerKind' | 'type' | 'url' | 'lastError'> {
  readonly hookId: number;
  readonly key: string;
  /** of the user or organization that it belongs to; null: it belongs to a repository or to the site */
  readonly ownerName: string | null;
  readonly stoppedAt: number;
  /** Whether it is still stopped since then. */
  readonly isStopped: boolean;
  /** of the person */
  readonly address: string;
  /** Whether the person decides for the owner of the webhook: as the user, an owner of the organization, or for the site. */
  readonly isOwners: boolean;
}

/** On `team_members m join teams t`. */
const IS_OF_OWNERS = fragment`t.level = ${RANKS.owner}`;

/**
 * Records whom to mail about a webhook that has stopped: the person who changed it last, and those of its owners who want
 * mail.
 *
 * @returns the ids of their accounts
 */
export async function insertStopNotices(
  tx: Tx,
  { id, at }: { readonly id: number; readonly at: number },
): Promise<readonly number[]> {
  const hook = fragment`webhooks w left join repositories r on r.id = w.repository_id where w.id = ${id}`;
  const place = fragment`(select coalesce(w.owner_id, r.owner_id) from ${hook})`;
  const owners = fragment`select coalesce(w.owner_id, r.owner_id) from ${hook}
    union select m.account_id from team_members m join teams t on t.id = m.team_id
      where m.organization_id = ${place} and ${IS_OF_OWNERS}
    union select s.id from accounts s where s.is_admin = 1 and ${place} is null`;
  const rows = await query<{ account_id: number }>(
    tx,
    fragment`insert into webhook_stop_notices (account_id, hook_id, stopped_at)
      select a.id, cast(${id} as bigint), cast(${at} as bigint) from accounts a join (
          select c.id, min(c.place) as place from (
            select w.reader_id as id, 0 as place from ${hook}
            union all select p.account_id, 1 from mail_preferences p where p.account_id in (${owners})) c
          group by c.id) chosen on chosen.id = a.id
        where a.kind = 'user' and a.is_active = 1 and a.is_login_prohibited = 0 and a.email <> ''
        order by chosen.place, a.id limit ${WEBHOOK_LIMITS.stopReadersMax}
      on conflict (account_id, hook_id) do update set stopped_at = excluded.stopped_at returning account_id`,
  );
  return rows.map(({ account_id: accountId }) => accountId);
}

interface NoticeRow {
  readonly hook_id: number;
  readonly key: string;
  readonly repository_id: number | null;
  readonly owner_id: number | null;
  readonly owner_kind: 'user' | 'organization' | null;
  readonly owner_name: string | null;
  readonly type: Webhook['type'];
  readonly url: string;
  readonly last_error: string;
  readonly stopped_at: number;
  readonly is_stopped: number;
  readonly email: string;
  readonly is_owners: number;
}

/** Lists what is to be mailed to a person, the oldest first. */
export async function listStopNotices(db: Db, accountId: number): Promise<readonly StopNotice[]> {
  const rows = await query<NoticeRow>(
    db,
    fragment`select n.hook_id, n.stopped_at, w.key, w.repository_id, w.owner_id, o.kind as owner_kind,
        o.name as owner_name, w.type, w.url, w.last_error, a.email,
        case when w.is_active = 0 and w.stopped_at = n.stopped_at then 1 else 0 end as is_stopped,
        case when w.owner_id = ${accountId} then 1
          when w.owner_id is null and w.repository_id is null then a.is_admin
          when exists (select 1 from team_members m join teams t on t.id = m.team_id
            where m.organization_id = w.owner_id and m.account_id = ${accountId} and ${IS_OF_OWNERS}) then 1
          else 0 end as is_owners
      from webhook_stop_notices n join accounts a on a.id = n.account_id join webhooks w on w.id = n.hook_id
        left join accounts o on o.id = w.owner_id
      where n.account_id = ${accountId}
      order by n.stopped_at, n.hook_id limit ${WEBHOOK_LIMITS.stopsListedMax}`,
  );
  return rows.map((row) => ({
    hookId: row.hook_id,
    key: row.key,
    repositoryId: row.repository_id,
    ownerId: row.owner_id,
    ownerKind: row.owner_kind,
    ownerName: row.owner_name,
    type: row.type,
    url: row.url,
    lastError: row.last_error,
    stoppedAt: row.stopped_at,
    isStopped: row.is_stopped === 1,
    address: row.email,
    isOwners: row.is_owners === 1,
  }));
}

/** Forgets these notices of a person, unless one of the webhooks has stopped again meanwhile. */
export async function deleteStopNotices(
  tx: Tx,
  accountId: number,
  notices: readonly StopNotice[],
): Promise<void> {
  const ids = notices.map(({ hookId }) => hookId);
  const last = Math.max(...notices.map(({ stoppedAt }) => stoppedAt));
  await query(
    tx,
    fragment`delete from webhook_stop_notices
      where account_id = ${accountId} and hook_id in (${values(ids)}) and stopped_at <= ${last}`,
  );
}
