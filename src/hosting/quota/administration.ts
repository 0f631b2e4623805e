import type { SignedIn } from '../../api/access/viewer.ts';
import { conflict, invalid, notFound } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockKind } from '../../people/accounts/locks.ts';
import type { ShownAccount } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { findVisibleAccounts } from '../../people/accounts/visible.ts';
import { QUOTA_GROUP_CHANGED, QUOTA_MEMBER_CHANGED, QUOTA_RULE_CHANGED } from './events.ts';
import { QUOTA_LIMITS } from './limits.ts';
import type { QuotaGroup, QuotaRule } from './model.ts';
import {
  countAll,
  countMembers,
  countRulesOf,
  deleteGroup,
  deleteGroupRule,
  deleteMember,
  deleteMemberships,
  deleteRule,
  findGroup,
  findGroupId,
  findRule,
  insertGroup,
  insertGroupRule,
  insertMember,
  insertRule,
  listGroups,
  listGroupsOf,
  listMembers,
  listRules,
  lockGroup,
  lockRule,
  setRule,
} from './store.ts';
import { kindsOf, SUBJECT_NAMES } from './subjects.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
}

/** A rule of a new group: one that exists already, or a new one. */
export interface RuleOfNewGroup {
  readonly name: string;
  /** absent: no limit */
  readonly bytesMax?: number | undefined;
  readonly subjects?: readonly string[] | undefined;
}

/** The rules and groups of quotas, for site administrators. A change decides about the next bytes that arrive. */
export class QuotaAdministration {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  listRules(): Promise<readonly QuotaRule[]> {
    return listRules(this.#use.database.reader);
  }

  /** @throws ForgeError `not_found` */
  async getRule(name: string): Promise<QuotaRule> {
    return required(await findRule(this.#use.database.reader, name), 'quota rule');
  }

  /** @throws ForgeError `invalid`; `conflict` if the rule exists */
  async createRule(viewer: SignedIn, rule: QuotaRule): Promise<QuotaRule> {
    await this.#use.database.transaction((tx) => this.#insertRule(tx, viewer, rule));
    return rule;
  }

  async #insertRule(tx: Tx, viewer: SignedIn, rule: QuotaRule): Promise<number> {
    requireRule(rule);
    const { quotaRulesMax } = QUOTA_LIMITS;
    if ((await countAll(tx, 'quota_rules')) >= quotaRulesMax)
      throw invalid(`there are at most ${quotaRulesMax} quota rules`);
    const id = await insertRule(tx, rule);
    if (id === undefined) throw conflict(`the quota rule ${rule.name} exists already`);
    await this.#recordRule(tx, viewer, rule);
    return id;
  }

  async #recordRule(
    tx: Tx,
    viewer: SignedIn,
    rule: QuotaRule & { readonly isDeleted?: true },
    before?: QuotaRule,
  ): Promise<void> {
    const bytesMax = rule.isDeleted === true ? null : rule.bytesMax;
    const payload = { rule: rule.name, bytesMax, subjects: rule.subjects };
    await insertEvent(tx, QUOTA_RULE_CHANGED, {
      actorId: viewer.accountId,
      repositoryId: null,
      payload,
      ...(before === undefined
        ? {}
        : { audit: { former: { bytesMax: before.bytesMax, subjects: before.subjects } } }),
    });
  }

  /** @throws ForgeError `not_found`, `invalid` */
  async editRule(
    viewer: SignedIn,
    name: string,
    edit: Partial<Pick<QuotaRule, 'bytesMax' | 'subjects'>>,
  ): Promise<QuotaRule> {
    return this.#use.database.transaction(async (tx) => {
      if ((await lockRule(tx, name)) === undefined) throw notFound('quota rule');
      const before = required(await findRule(tx, name), 'quota rule');
      const rule = {
        name,
        bytesMax: edit.bytesMax ?? before.bytesMax,
        subjects: edit.subjects ?? before.subjects,
      };
      requireRule(rule);
      await setRule(tx, rule);
      await this.#recordRule(tx, viewer, rule, before);
      return rule;
    });
  }

  /** Deletes a rule, also from its groups. @throws ForgeError `not_found` */
  async deleteRule(viewer: SignedIn, name: string): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const rule = required(await findRule(tx, name), 'quota rule');
      if (!(await deleteRule(tx, name))) throw notFound('quota rule');
      await this.#recordRule(tx, viewer, { ...rule, isDeleted: true }, rule);
    });
  }

  listGroups(): Promise<readonly QuotaGroup[]> {
    return listGroups(this.#use.database.reader);
  }

  /** @throws ForgeError `not_found` */
  async getGroup(name: string): Promise<QuotaGroup> {
    return required(await findGroup(this.#use.database.reader, name), 'quota group');
  }

  /**
   * Creates a group with rules, and those of the rules that do not exist.
   *
   * @throws ForgeError `invalid`; `conflict` if the group exists
   */
  async createGroup(viewer: SignedIn, name: string, rules: readonly RuleOfNewGroup[]): Promise<QuotaGroup> {
    requireName('group', name);
    const { quotaGroupsMax, quotaRulesPerGroupMax } = QUOTA_LIMITS;
    if (rules.length > quotaRulesPerGroupMax)
      throw invalid(`a quota group has at most ${quotaRulesPerGroupMax} rules`);
    return this.#use.database.transaction(async (tx) => {
      if ((await countAll(tx, 'quota_groups')) >= quotaGroupsMax)
        throw invalid(`there are at most ${quotaGroupsMax} quota groups`);
      const groupId = await insertGroup(tx, name);
      if (groupId === undefined) throw conflict(`the quota group ${name} exists already`);
      for (const rule of rules) {
        const ruleId = (await lockRule(tx, rule.name)) ?? (await this.#insertRule(tx, viewer, newRule(rule)));
        await insertGroupRule(tx, { groupId, ruleId });
      }
      await this.#recordGroup(tx, viewer, name);
      return required(await findGroup(tx, name), 'quota group');
    });
  }

  async #recordGroup(tx: Tx, viewer: SignedIn, group: string, isDeleted = false): Promise<void> {
    await insertEvent(tx, QUOTA_GROUP_CHANGED, {
      actorId: viewer.accountId,
      repositoryId: null,
      payload: { group, isDeleted },
    });
  }

  /** Deletes a group. Its rules remain, and do not apply to its accounts any more. @throws ForgeError `not_found` */
  async deleteGroup(viewer: SignedIn, name: string): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      if (!(await deleteGroup(tx, name))) throw notFound('quota group');
      await this.#recordGroup(tx, viewer, name, true);
    });
  }

  /** @throws ForgeError `not_found`; `conflict` if the group has the rule; `invalid` for too many rules */
  async addRule(viewer: SignedIn, group: string, rule: string): Promise<void> {
    await this.#changeRules(viewer, group, rule, async (tx, ids) => {
      const { quotaRulesPerGroupMax } = QUOTA_LIMITS;
      if ((await countRulesOf(tx, ids.groupId)) >= quotaRulesPerGroupMax)
        throw invalid(`a quota group has at most ${quotaRulesPerGroupMax} rules`);
      if (!(await insertGroupRule(tx, ids))) throw conflict(`the group has the rule ${rule} already`);
    });
  }

  /** @throws ForgeError `not_found`, also if the group lacks the rule */
  async removeRule(viewer: SignedIn, group: string, rule: string): Promise<void> {
    await this.#changeRules(viewer, group, rule, async (tx, ids) => {
      if (!(await deleteGroupRule(tx, ids))) throw notFound('quota rule');
    });
  }

  async #changeRules(
    viewer: SignedIn,
    group: string,
    rule: string,
    change: (tx: Tx, ids: { groupId: number; ruleId: number }) => Promise<void>,
  ): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const groupId = required(await lockGroup(tx, group), 'quota group');
      const ruleId = required(await lockRule(tx, rule), 'quota rule');
      await change(tx, { groupId, ruleId });
      await this.#recordGroup(tx, viewer, group);
    });
  }

  /** Lists the accounts of a group. @throws ForgeError `not_found` */
  async listMembers(viewer: SignedIn, group: string): Promise<readonly ShownAccount[]> {
    const { reader } = this.#use.database;
    const ids = await listMembers(reader, required(await findGroupId(reader, group), 'quota group'));
    const accounts = await findVisibleAccounts(reader, viewer, ids);
    return ids.flatMap((id) => accounts.get(id) ?? []);
  }

  /** @throws ForgeError `not_found`; `conflict` if the account is in the group; `invalid` for too many accounts */
  async addMember(viewer: SignedIn, group: string, name: string): Promise<void> {
    await this.#changeMember(viewer, name, async (tx, accountId) => {
      const groupId = required(await lockGroup(tx, group), 'quota group');
      await this.#requireFewMembers(tx, { groupId, accountId });
      if (!(await insertMember(tx, { groupId, accountId })))
        throw conflict(`${name} is in the quota group already`);
    });
  }

  async #requireFewMembers(tx: Tx, { groupId, accountId }: { groupId: number; accountId: number }) {
    const { quotaAccountsPerGroupMax, quotaGroupsPerAccountMax } = QUOTA_LIMITS;
    if ((await countMembers(tx, { groupId })) >= quotaAccountsPerGroupMax)
      throw invalid(`a quota group has at most ${quotaAccountsPerGroupMax} accounts`);
    if ((await countMembers(tx, { accountId })) >= quotaGroupsPerAccountMax)
      throw invalid(`an account is in at most ${quotaGroupsPerAccountMax} quota groups`);
  }

  /** @throws ForgeError `not_found`, also if the account is not in the group */
  async removeMember(viewer: SignedIn, group: string, name: string): Promise<void> {
    await this.#changeMember(viewer, name, async (tx, accountId) => {
      const groupId = required(await lockGroup(tx, group), 'quota group');
      if (!(await deleteMember(tx, { groupId, accountId }))) throw notFound('account in the quota group');
    });
  }

  /** Puts an account into these groups, and out of all others. @throws ForgeError `not_found`; `invalid` */
  async setGroupsOf(viewer: SignedIn, name: string, groups: readonly string[]): Promise<void> {
    const wanted = [...new Set(groups)].sort();
    const { quotaGroupsPerAccountMax } = QUOTA_LIMITS;
    if (wanted.length > quotaGroupsPerAccountMax)
      throw invalid(`an account is in at most ${quotaGroupsPerAccountMax} quota groups`);
    for (const group of wanted) requireName('group', group);
    await this.#changeMember(viewer, name, async (tx, accountId) => {
      await deleteMemberships(tx, accountId);
      for (const group of wanted) {
        const groupId = await lockGroup(tx, group);
        if (groupId === undefined) throw invalid(`there is no quota group ${group}`);
        await this.#requireFewMembers(tx, { groupId, accountId });
        await insertMember(tx, { groupId, accountId });
      }
    });
  }

  async #changeMember(
    viewer: SignedIn,
    name: string,
    change: (tx: Tx, accountId: number) => Promise<void>,
  ): Promise<void> {
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    await this.#use.database.transaction(async (tx) => {
      await lockKind(tx, accountId);
      const before = namesOf(await listGroupsOf(tx, accountId, []));
      await change(tx, accountId);
      const groups = namesOf(await listGroupsOf(tx, accountId, []));
      await insertEvent(tx, QUOTA_MEMBER_CHANGED, {
        actorId: viewer.accountId,
        repositoryId: null,
        payload: { accountId, groups },
        audit: { former: { groups: before } },
      });
    });
  }
}

function namesOf(groups: readonly { readonly name: string }[]): readonly string[] {
  return groups.map(({ name }) => name);
}

function required<Found>(found: Found | undefined, what: string): Found {
  if (found === undefined) throw notFound(what);
  return found;
}

function newRule({ name, bytesMax = -1, subjects = [] }: RuleOfNewGroup): QuotaRule {
  return { name, bytesMax, subjects };
}

/** @throws ForgeError `invalid` */
function requireRule({ name, bytesMax, subjects }: QuotaRule): void {
  requireName('rule', name);
  if (bytesMax < -1 || bytesMax > Number.MAX_SAFE_INTEGER)
    throw invalid(
      `the limit of a quota rule is at most ${Number.MAX_SAFE_INTEGER} bytes, or -1 for no limit`,
    );
  if (subjects.length === 0 || new Set(subjects).size !== subjects.length)
    throw invalid('a quota rule has at least one subject, and each subject once');
  for (const subject of subjects) requireSubject(subject);
}

/** @throws ForgeError `invalid` for an unknown subject */
export function requireSubject(subject: string): void {
  if (kindsOf(subject) === undefined)
    throw invalid(`unknown subject of a quota: choose from ${SUBJECT_NAMES.join(', ')}`);
}

/** @throws ForgeError `invalid` */
function requireName(what: string, name: string): void {
  const { quotaNameCharsMax } = QUOTA_LIMITS;
  if (name === '' || name.length > quotaNameCharsMax || !isPlainLine(name))
    throw invalid(`the name of a quota ${what} is one line of at most ${quotaNameCharsMax} characters`);
}
