import type { AuditEntry } from '../../base/audit/model.ts';
import { AUDIT_COLUMNS, type AuditRow, auditEntryOf } from '../../base/audit/store.ts';
import type { Db } from '../../base/database/database.ts';
import { type Fragment, fragment, joined, raw, usingIndex } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import { AUDIT_LIMITS } from './limits.ts';
import type { AuditFilter, AuditPage, AuditPosition, AuditRequest } from './model.ts';

interface Condition {
  readonly index: string;
  readonly holds: Fragment;
}

/**
 * Lists entries, the newest first. The index of one condition finds the entries, and each of them is checked for the other
 * conditions, up to a number of entries. Then the page is short, and its position continues it.
 */
export async function listEntries(
  db: Db,
  { filter, after, limit }: AuditRequest,
  order: 'newest' | 'oldest' = 'newest',
): Promise<AuditPage> {
  const [driving, ...others] = conditionsOf(filter);
  const { auditEntriesScannedMax: scannedMax } = AUDIT_LIMITS;
  const direction = raw(order === 'newest' ? 'desc' : 'asc');
  const sorted = fragment`order by e.created_at ${direction}, e.id ${direction}`;
  const found = fragment`from audit_entries e ${usingIndex(driving?.index ?? 'audit_entries_time')}
    where ${joined([driving?.holds ?? raw('1 = 1'), ...timesOf(filter), ...afterOf(after, order)], ' and ')} ${sorted}`;
  const rest = joined([raw('1 = 1'), ...others.map(({ holds }) => holds)], ' and ');
  const rows = await query<AuditRow>(
    db,
    others.length === 0
      ? fragment`select ${AUDIT_COLUMNS} ${found} limit ${limit}`
      : fragment`select ${AUDIT_COLUMNS} from (select e.* ${found} limit ${scannedMax}) e
          where ${rest} ${sorted} limit ${limit}`,
  );
  const entries = rows.map(auditEntryOf);
  if (entries.length === limit) return { entries, next: positionOf(entries.at(-1)) };
  if (others.length === 0) return { entries, next: null };
  const last = await queryFirst<{ created_at: number; id: number }>(
    db,
    fragment`select e.created_at, e.id ${found} limit 1 offset ${scannedMax - 1}`,
  );
  return { entries, next: last === undefined ? null : { at: last.created_at, id: last.id } };
}

/** The conditions of a filter that have an index, the one that excludes most entries first. */
function conditionsOf({ ownerId, actor, target, action }: AuditFilter): readonly Condition[] {
  return [
    ...(target === undefined
      ? []
      : [{ index: 'audit_entries_target', holds: fragment`lower(e.target_name) = lower(${target})` }]),
    ...(actor === undefined
      ? []
      : [{ index: 'audit_entries_actor', holds: fragment`lower(e.actor_name) = lower(${actor})` }]),
    ...(ownerId === undefined
      ? []
      : [{ index: 'audit_entries_owner', holds: fragment`e.owner_id = ${ownerId}` }]),
    ...(action === undefined
      ? []
      : [{ index: 'audit_entries_action', holds: fragment`e.action = ${action}` }]),
  ];
}

function timesOf({ since, until }: AuditFilter): readonly Fragment[] {
  return [
    ...(since === undefined ? [] : [fragment`e.created_at >= ${since}`]),
    ...(until === undefined ? [] : [fragment`e.created_at <= ${until}`]),
  ];
}

function afterOf(after: AuditPosition | undefined, order: 'newest' | 'oldest'): readonly Fragment[] {
  if (after === undefined) return [];
  const { at, id } = after;
  // The first part bounds the index.
  return order === 'newest'
    ? [fragment`e.created_at <= ${at} and (e.created_at < ${at} or e.id < ${id})`]
    : [fragment`e.created_at >= ${at} and (e.created_at > ${at} or e.id > ${id})`];
}

function positionOf(entry: AuditEntry | undefined): AuditPosition | null {
  return entry === undefined ? null : { at: entry.at, id: entry.id };
}
