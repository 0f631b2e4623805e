import { type CallerCredential, currentCaller, type Origin } from '../core/fairness/caller.ts';
import { currentTimeMs } from '../core/time/clock.ts';
import { type Db, dialectOf, type Tx } from '../database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../database/fragment.ts';
import { query } from '../database/query.ts';
import type { AuditEntriesTable } from '../database/schema/events.ts';
import { AUDIT_LOG_LIMITS } from './limits.ts';
import type { AuditActorKind, AuditDetails, AuditEntry, AuditTargetKind, NewAuditEntry } from './model.ts';

/**
 * Records an entry in the transaction of the change.
 *
 * @param origin where the change comes from; by default, the context of the request has it
 */
export function recordAudit(tx: Tx, entry: NewAuditEntry, origin?: Origin): Promise<void> {
  return recordAudits(tx, [entry], origin);
}

/** Records entries about targets of one kind, in this order, as `recordAudit` does. */
export async function recordAudits(
  tx: Tx,
  entries: readonly NewAuditEntry[],
  origin = currentCaller().origin,
): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const from = originColumns(origin);
  const at = currentTimeMs();
  const rows = entries.map(({ target, ...entry }) => {
    const people = [...new Set(entry.people)].slice(0, AUDIT_LOG_LIMITS.namesPerEntryMax);
    const actorKind = entry.actorId === null ? actorWithoutAccount(entry.actorKind, from) : entry.actorKind;
    return fragment`(${entry.action}, ${actorKind}, cast(${entry.actorId} as bigint), ${target.kind},
      cast(${target.id} as bigint), cast(${target.name} as text),
      cast(${entry.isForSite === true ? NO_OWNER : entry.ownerId} as bigint),
      cast(${entry.repositoryId} as bigint), cast(${entry.repositoryName ?? null} as text),
      ${namesOf(tx, people)}, ${textOf(entry.details)})`;
  });
  await query(
    tx,
    fragment`insert into audit_entries (created_at, action, actor_kind, actor_id, actor_name, credential, credential_id,
        administrator_id, administrator_name, address, request_id, target_kind, target_id, target_name, owner_id,
        repository_id, repository_name, account_names, details)
      select cast(${at} as bigint), e.column1, e.column2, e.column3,
        (select a.name from accounts a where a.id = e.column3),
        cast(${from.credential} as text), cast(${from.credentialId} as bigint), cast(${from.administratorId} as bigint),
        (select a.name from accounts a where a.id = cast(${from.administratorId} as bigint)),
        cast(${from.address} as text), cast(${from.requestId} as text), e.column4, e.column5,
        coalesce(e.column6, ${nameOfTarget(first.target.kind)}),
        nullif(coalesce(e.column7, (select r.owner_id from repositories r where r.id = e.column8)), ${NO_OWNER}),
        e.column8, ${REPOSITORY_NAME}, e.column10, e.column11
      from (values ${joined(rows, ', ')}) e`,
  );
}

/** No account has this id. */
const NO_OWNER = 0;

const REPOSITORY_NAME = raw(
  `coalesce(e.column9, (select o.name || '/' || r.name from repositories r join accounts o on o.id = r.owner_id
    where r.id = e.column8))`,
);

/** Names of targets that have a row with a name. */
function nameOfTarget(kind: AuditTargetKind): Fragment {
  switch (kind) {
    case 'account':
    case 'organization':
      return raw('(select a.name from accounts a where a.id = e.column5)');
    case 'team':
      return raw('(select t.name from teams t where t.id = e.column5)');
    case 'repository':
      return REPOSITORY_NAME;
    default:
      return raw('null');
  }
}

/** @returns statement of the names of some accounts by their ids, as JSON */
export function namesOf(db: Db, ids: readonly number[]): Fragment {
  if (ids.length === 0) return raw('cast(null as text)');
  const object = {
    postgres: raw('cast(json_object_agg(p.id, p.name) as text)'),
    sqlite: raw('json_group_object(p.id, p.name)'),
  };
  return fragment`(select ${object[dialectOf(db)]} from accounts p where p.id in (${values(ids)}))`;
}

function textOf(details: AuditDetails): string {
  const text = JSON.stringify(details);
  return text.length <= AUDIT_LOG_LIMITS.detailsCharsMax ? text : JSON.stringify({ isTooLong: true });
}

interface OriginColumns {
  readonly isCommand: boolean;
  readonly credential: string | null;
  readonly credentialId: number | null;
  readonly administratorId: number | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

const NO_ORIGIN: OriginColumns = {
  isCommand: false,
  credential: null,
  credentialId: null,
  administratorId: null,
  address: null,
  requestId: null,
};

/** Returns what acts where no account does: a command, a caller who has proved nothing, or the server itself. */
function actorWithoutAccount(kind: AuditActorKind, { isCommand, credential }: OriginColumns): AuditActorKind {
  if (isCommand) return 'command-line';
  return kind === 'system' && credential === 'none' ? 'anonymous' : kind;
}

function originColumns(origin: Origin | undefined): OriginColumns {
  if (origin === undefined) return NO_ORIGIN;
  if (origin.kind === 'command-line') return { ...NO_ORIGIN, isCommand: true };
  const { address, requestId, credential } = origin;
  const { kind, id, administratorId } = credential;
  return { isCommand: false, credential: kind, credentialId: id, administratorId, address, requestId };
}

/** Where an account has signed in. */
export interface RecentSignIn {
  readonly credential: string | null;
  readonly credentialId: number | null;
  readonly address: string | null;
}

/** The action of a sign-in. An index has its entries. */
export const SIGN_IN_SUCCEEDED = 'sign-in.succeeded';

/**
 * Lists the last sign-ins of an account, a bounded number.
 *
 * @param since ms
 */
export async function listSignIns(
  db: Db,
  accountId: number,
  since: number,
): Promise<readonly RecentSignIn[]> {
  const rows = await query<{
    credential: string | null;
    credential_id: number | null;
    address: string | null;
  }>(
    db,
    // The words are constants, so that the planner sees that the index has all rows.
    fragment`select credential, credential_id, address from audit_entries
      where action = 'sign-in.succeeded' and actor_id = ${accountId} and created_at >= ${since}
      order by created_at desc limit ${AUDIT_LOG_LIMITS.signInsReadMax}`,
  );
  return rows.map((row) => ({
    credential: row.credential,
    credentialId: row.credential_id,
    address: row.address,
  }));
}

/** Columns of an entry, of `audit_entries e`. */
export const AUDIT_COLUMNS = raw(
  `e.id, e.created_at, e.action, e.actor_kind, e.actor_id, e.actor_name, e.credential, e.credential_id, e.administrator_id,
    e.administrator_name, e.address, e.request_id, e.target_kind, e.target_id, e.target_name, e.owner_id,
    e.repository_id, e.repository_name, e.account_names, e.details`,
);

export type AuditRow = Omit<AuditEntriesTable, 'id'> & { readonly id: number };

export function auditEntryOf(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.created_at,
    action: row.action,
    actorKind: row.actor_kind as AuditActorKind,
    actorId: row.actor_id,
    actorName: row.actor_name,
    credential: row.credential as CallerCredential['kind'] | null,
    credentialId: row.credential_id,
    administratorId: row.administrator_id,
    administratorName: row.administrator_name,
    address: row.address,
    requestId: row.request_id,
    targetKind: row.target_kind as AuditTargetKind,
    targetId: row.target_id,
    targetName: row.target_name,
    ownerId: row.owner_id,
    repositoryId: row.repository_id,
    repositoryName: row.repository_name,
    accountNames: row.account_names === null ? {} : JSON.parse(row.account_names),
    details: JSON.parse(row.details),
  };
}

/**
 * Deletes the oldest entries that were written before a time, a bounded number at once.
 *
 * @param before ms
 * @returns whether there may be more
 */
export async function deleteOldEntries(tx: Tx, before: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('audit_entries')
    .where('id', 'in', (of) =>
      of
        .selectFrom('audit_entries')
        .select('id')
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(AUDIT_LOG_LIMITS.entriesDeletedAtOnceMax),
    )
    .executeTakeFirst();
  return numDeletedRows >= BigInt(AUDIT_LOG_LIMITS.entriesDeletedAtOnceMax);
}
