import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, flag, fragment, joined, raw, values } from '../../base/database/fragment.ts';
import { query, queryFirst } from '../../base/database/query.ts';
import type { QuotaGroup, QuotaRule, UsedBytes } from './model.ts';
import { type ByteKind, KINDS } from './subjects.ts';

/** Adds up the results of several statements by their kind, with one statement. */
export async function addUp(
  db: Db,
  sums: readonly { readonly kind: ByteKind; readonly sum: Fragment }[],
): Promise<UsedBytes> {
  const columns = KINDS.map((kind, index) => {
    const terms = sums.filter((each) => each.kind === kind).map(({ sum }) => fragment`(${sum})`);
    return fragment`${joined([raw('0'), ...terms], ' + ')} as ${raw(`bytes_${index}`)}`;
  });
  const row = await queryFirst<Record<string, number>>(db, fragment`select ${joined(columns, ', ')}`);
  const entries = KINDS.map((kind, index) => [kind, row?.[`bytes_${index}`] ?? 0]);
  return Object.fromEntries(entries);
}

/** Selects the bytes of the git objects in all public or all private repositories of an owner, as last counted. */
export function sumOfRepositories(ownerId: number, isPrivate: boolean): Fragment {
  return fragment`select cast(coalesce(sum(r.git_bytes), 0) as bigint) from repositories r
    where r.owner_id = ${ownerId} and r.is_private = ${flag(isPrivate)}`;
}

/** Selects the bytes of the wikis in all repositories of an owner, as last counted. */
export function sumOfWikis(ownerId: number): Fragment {
  return fragment`select cast(coalesce(sum(r.wiki_bytes), 0) as bigint) from repositories r
    where r.owner_id = ${ownerId}`;
}

/** Lists the owners of some repositories, each once. */
export async function listOwnerIds(db: Db, repositoryIds: readonly number[]): Promise<readonly number[]> {
  const rows = await query<{ owner_id: number }>(
    db,
    fragment`select distinct owner_id from repositories where id in (${values(repositoryIds)})`,
  );
  return rows.map((row) => row.owner_id);
}

interface GroupRow {
  readonly group_id: number;
  readonly group_name: string;
  /** null: the group has no rules */
  readonly name: string | null;
  readonly bytes_max: number | null;
  readonly subjects: string | null;
}

/** Lists groups with their rules, by their names. */
async function listGroupsWhere(db: Db, condition: Fragment): Promise<readonly QuotaGroup[]> {
  const rows = await query<GroupRow>(
    db,
    fragment`select g.id as group_id, g.name as group_name, r.name, r.bytes_max, r.subjects from quota_groups g
      left join quota_group_rules gr on gr.group_id = g.id
      left join quota_rules r on r.id = gr.rule_id
      where ${condition} order by g.name, r.name`,
  );
  return [...Map.groupBy(rows, (row) => row.group_name)].map(([name, ofGroup]) => ({
    name,
    rules: ofGroup.flatMap((row) =>
      row.name === null ? [] : [{ name: row.name, bytesMax: row.bytes_max ?? -1, subjects: subjectsOf(row) }],
    ),
  }));
}

function subjectsOf({ subjects }: { readonly subjects: string | null }): readonly string[] {
  return subjects === null || subjects === '' ? [] : subjects.split(' ');
}

/** Lists the groups of an account, or the `defaults` if it has none. */
export function listGroupsOf(
  db: Db,
  accountId: number,
  defaults: readonly string[],
): Promise<readonly QuotaGroup[]> {
  const own = fragment`g.id in (select group_id from quota_members where account_id = ${accountId})`;
  if (defaults.length === 0) return listGroupsWhere(db, own);
  return listGroupsWhere(
    db,
    fragment`(${own} or (g.name in (${values(defaults)})
      and not exists (select 1 from quota_members where account_id = ${accountId})))`,
  );
}

export function listGroups(db: Db): Promise<readonly QuotaGroup[]> {
  return listGroupsWhere(db, fragment`1 = 1`);
}

export async function findGroup(db: Db, name: string): Promise<QuotaGroup | undefined> {
  return (await listGroupsWhere(db, fragment`g.name = ${name}`))[0];
}

/** Finds the id of a group. In a transaction, `locks` keeps the group until the transaction ends. */
export async function findGroupId(db: Db, name: string): Promise<number | undefined> {
  return (await queryFirst<{ id: number }>(db, fragment`select id from quota_groups where name = ${name}`))
    ?.id;
}

/** Locks a group until the transaction ends, and finds its id. */
export async function lockGroup(tx: Tx, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    tx,
    fragment`update quota_groups set name = name where name = ${name} returning id`,
  );
  return row?.id;
}

/** @returns undefined if a group has this name */
export async function insertGroup(tx: Tx, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    tx,
    fragment`insert into quota_groups (name) values (${name}) on conflict (name) do nothing returning id`,
  );
  return row?.id;
}

/** @returns whether there was such a group */
export async function deleteGroup(tx: Tx, name: string): Promise<boolean> {
  const rows = await query(tx, fragment`delete from quota_groups where name = ${name} returning id`);
  return rows.length > 0;
}

export async function listRules(db: Db): Promise<readonly QuotaRule[]> {
  return listRulesWhere(db, fragment`1 = 1`);
}

export async function findRule(db: Db, name: string): Promise<QuotaRule | undefined> {
  return (await listRulesWhere(db, fragment`r.name = ${name}`))[0];
}

async function listRulesWhere(db: Db, condition: Fragment): Promise<readonly QuotaRule[]> {
  const rows = await query<{ name: string; bytes_max: number; subjects: string }>(
    db,
    fragment`select r.name, r.bytes_max, r.subjects from quota_rules r where ${condition} order by r.name`,
  );
  return rows.map((row) => ({ name: row.name, bytesMax: row.bytes_max, subjects: subjectsOf(row) }));
}

/** Locks a rule until the transaction ends, and finds its id. */
export async function lockRule(tx: Tx, name: string): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    tx,
    fragment`update quota_rules set name = name where name = ${name} returning id`,
  );
  return row?.id;
}

/** @returns undefined if a rule has this name */
export async function insertRule(tx: Tx, rule: QuotaRule): Promise<number | undefined> {
  const row = await queryFirst<{ id: number }>(
    tx,
    fragment`insert into quota_rules (name, bytes_max, subjects)
      values (${rule.name}, ${rule.bytesMax}, ${rule.subjects.join(' ')})
      on conflict (name) do nothing returning id`,
  );
  return row?.id;
}

export async function setRule(tx: Tx, rule: QuotaRule): Promise<void> {
  await query(
    tx,
    fragment`update quota_rules set bytes_max = ${rule.bytesMax}, subjects = ${rule.subjects.join(' ')}
      where name = ${rule.name}`,
  );
}

/** @returns whether there was such a rule */
export async function deleteRule(tx: Tx, name: string): Promise<boolean> {
  const rows = await query(tx, fragment`delete from quota_rules where name = ${name} returning id`);
  return rows.length > 0;
}

interface RuleOfGroup {
  readonly groupId: number;
  readonly ruleId: number;
}

/** @returns whether the group lacked the rule */
export async function insertGroupRule(tx: Tx, { groupId, ruleId }: RuleOfGroup): Promise<boolean> {
  const rows = await query(
    tx,
    fragment`insert into quota_group_rules (group_id, rule_id) values (${groupId}, ${ruleId})
      on conflict (group_id, rule_id) do nothing returning rule_id`,
  );
  return rows.length > 0;
}

/** @returns whether the group had the rule */
export async function deleteGroupRule(tx: Tx, { groupId, ruleId }: RuleOfGroup): Promise<boolean> {
  const rows = await query(
    tx,
    fragment`delete from quota_group_rules where group_id = ${groupId} and rule_id = ${ruleId} returning rule_id`,
  );
  return rows.length > 0;
}

interface AccountOfGroup {
  readonly groupId: number;
  readonly accountId: number;
}

/** @returns whether the account was not in the group */
export async function insertMember(tx: Tx, { groupId, accountId }: AccountOfGroup): Promise<boolean> {
  const rows = await query(
    tx,
    fragment`insert into quota_members (group_id, account_id) values (${groupId}, ${accountId})
      on conflict (group_id, account_id) do nothing returning account_id`,
  );
  return rows.length > 0;
}

/** @returns whether the account was in the group */
export async function deleteMember(tx: Tx, { groupId, accountId }: AccountOfGroup): Promise<boolean> {
  const rows = await query(
    tx,
    fragment`delete from quota_members where group_id = ${groupId} and account_id = ${accountId}
      returning account_id`,
  );
  return rows.length > 0;
}

export async function deleteMemberships(tx: Tx, accountId: number): Promise<void> {
  await query(tx, fragment`delete from quota_members where account_id = ${accountId}`);
}

/** Lists the ids of the accounts in a group. */
export async function listMembers(db: Db, groupId: number): Promise<readonly number[]> {
  const rows = await query<{ account_id: number }>(
    db,
    fragment`select account_id from quota_members where group_id = ${groupId} order by account_id`,
  );
  return rows.map((row) => row.account_id);
}

type Counted = 'quota_rules' | 'quota_groups';

export async function countAll(db: Db, table: Counted): Promise<number> {
  return (
    (await queryFirst<{ count: number }>(db, fragment`select count(*) as count from ${raw(table)}`))?.count ??
    0
  );
}

export async function countRulesOf(db: Db, groupId: number): Promise<number> {
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from quota_group_rules where group_id = ${groupId}`,
  );
  return row?.count ?? 0;
}

export async function countMembers(db: Db, by: { groupId: number } | { accountId: number }): Promise<number> {
  const condition =
    'groupId' in by ? fragment`group_id = ${by.groupId}` : fragment`account_id = ${by.accountId}`;
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from quota_members where ${condition}`,
  );
  return row?.count ?? 0;
}
