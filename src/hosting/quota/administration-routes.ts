import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { UserAnswer } from '../../people/accounts/present.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { QUOTA } from './actions.ts';
import type { QuotaAdministration } from './administration.ts';
import { GroupAnswer, QuotaAnswer, RuleAnswer } from './present.ts';
import { CreateGroupBody, CreateRuleBody, EditRuleBody, SetGroupsBody } from './schema.ts';
import type { QuotaUsage } from './usage.ts';

interface Dependencies {
  readonly quotaAdministration: QuotaAdministration;
  readonly quotaUsage: QuotaUsage;
  readonly accounts: Accounts;
  readonly addresses: Addresses;
}

/** The rules and groups of quotas, for site administrators. */
export function quotaAdministrationRoutes(app: App, dependencies: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses: dependencies.addresses });
  ruleRoutes(api, dependencies);
  groupRoutes(api, dependencies);
  memberRoutes(api, dependencies);
}

function ruleRoutes(api: Operations, { quotaAdministration }: Dependencies): void {
  api.wholeList('/admin/quota/rules', QUOTA.read, {
    id: 'adminListQuotaRules',
    summary: 'List the rules of quotas',
    answer: RuleAnswer,
    handle: () => quotaAdministration.listRules(),
  });

  api.post('/admin/quota/rules', QUOTA.change, {
    id: 'adminCreateQuotaRule',
    summary: 'Create a rule that limits what its subjects cover, for the groups that get the rule',
    failures: ['conflict', 'invalid'],
    body: CreateRuleBody,
    status: 201,
    answer: RuleAnswer,
    handle: ({ viewer, body: { name, limit = -1, subjects } }) =>
      quotaAdministration.createRule(viewer, { name, bytesMax: limit, subjects }),
  });

  api.get('/admin/quota/rules/:quotarule', QUOTA.read, {
    id: 'adminGetQuotaRule',
    summary: 'Get a rule of quotas',
    failures: ['not_found'],
    answer: RuleAnswer,
    handle: ({ params }) => quotaAdministration.getRule(params.quotarule),
  });

  api.patch('/admin/quota/rules/:quotarule', QUOTA.change, {
    id: 'adminEditQuotaRule',
    summary: 'Change the limit or the subjects of a rule, for all groups that have it',
    failures: ['not_found', 'invalid'],
    body: EditRuleBody,
    answer: RuleAnswer,
    handle: ({ viewer, params, body: { limit, subjects } }) =>
      quotaAdministration.editRule(viewer, params.quotarule, {
        ...(limit === undefined ? {} : { bytesMax: limit }),
        ...(subjects === undefined ? {} : { subjects }),
      }),
  });

  api.delete('/admin/quota/rules/:quotarule', QUOTA.change, {
    id: 'adminDeleteQuotaRule',
    summary: 'Delete a rule, also from the groups that have it',
    failures: ['not_found'],
    handle: ({ viewer, params }) => quotaAdministration.deleteRule(viewer, params.quotarule),
  });
}

function groupRoutes(api: Operations, { quotaAdministration }: Dependencies): void {
  api.wholeList('/admin/quota/groups', QUOTA.read, {
    id: 'adminListQuotaGroups',
    summary: 'List the groups of quotas with their rules',
    answer: GroupAnswer,
    handle: () => quotaAdministration.listGroups(),
  });

  api.post('/admin/quota/groups', QUOTA.change, {
    id: 'adminCreateQuotaGroup',
    summary: 'Create a group with rules, and those of the rules that do not exist',
    failures: ['conflict', 'invalid'],
    body: CreateGroupBody,
    status: 201,
    answer: GroupAnswer,
    handle({ viewer, body: { name, rules = [] } }) {
      const wanted = rules.map((rule) => ({
        name: rule.name,
        bytesMax: rule.limit,
        subjects: rule.subjects,
      }));
      return quotaAdministration.createGroup(viewer, name, wanted);
    },
  });

  api.get('/admin/quota/groups/:quotagroup', QUOTA.read, {
    id: 'adminGetQuotaGroup',
    summary: 'Get a group of quotas with its rules',
    failures: ['not_found'],
    answer: GroupAnswer,
    handle: ({ params }) => quotaAdministration.getGroup(params.quotagroup),
  });

  api.delete('/admin/quota/groups/:quotagroup', QUOTA.change, {
    id: 'adminDeleteQuotaGroup',
    summary: 'Delete a group; its rules remain',
    failures: ['not_found'],
    handle: ({ viewer, params }) => quotaAdministration.deleteGroup(viewer, params.quotagroup),
  });

  api.put('/admin/quota/groups/:quotagroup/rules/:quotarule', QUOTA.change, {
    id: 'adminAddRuleToQuotaGroup',
    summary: 'Add a rule to a group',
    failures: ['not_found', 'conflict', 'invalid'],
    handle: ({ viewer, params }) => quotaAdministration.addRule(viewer, params.quotagroup, params.quotarule),
  });

  api.delete('/admin/quota/groups/:quotagroup/rules/:quotarule', QUOTA.change, {
    id: 'adminRemoveRuleFromQuotaGroup',
    summary: 'Remove a rule from a group',
    failures: ['not_found'],
    status: 201,
    handle: ({ viewer, params }) =>
      quotaAdministration.removeRule(viewer, params.quotagroup, params.quotarule),
  });
}

function memberRoutes(api: Operations, { quotaAdministration, quotaUsage, accounts }: Dependencies): void {
  api.wholeList('/admin/quota/groups/:quotagroup/users', QUOTA.read, {
    id: 'adminListUsersInQuotaGroup',
    summary: 'List the users and organizations in a group',
    answer: UserAnswer,
    handle: ({ viewer, params }) => quotaAdministration.listMembers(viewer, params.quotagroup),
  });

  api.put('/admin/quota/groups/:quotagroup/users/:username', QUOTA.change, {
    id: 'adminAddUserToQuotaGroup',
    summary: 'Add a user or an organization to a group',
    failures: ['not_found', 'conflict', 'invalid'],
    handle: ({ viewer, params }) => quotaAdministration.addMember(viewer, params.quotagroup, params.username),
  });

  api.delete('/admin/quota/groups/:quotagroup/users/:username', QUOTA.change, {
    id: 'adminRemoveUserFromQuotaGroup',
    summary: 'Remove a user or an organization from a group',
    failures: ['not_found'],
    handle: ({ viewer, params }) =>
      quotaAdministration.removeMember(viewer, params.quotagroup, params.username),
  });

  api.get('/admin/users/:username/quota', QUOTA.read, {
    id: 'adminGetUserQuota',
    summary: 'Get what a user or an organization has stored, and the limits',
    failures: ['not_found'],
    answer: QuotaAnswer,
    async handle({ viewer, params }) {
      return quotaUsage.get((await accounts.getByName(viewer, params.username)).id);
    },
  });

  api.post('/admin/users/:username/quota/groups', QUOTA.change, {
    id: 'adminSetUserQuotaGroups',
    summary: 'Put a user or an organization into these groups, and out of all others',
    failures: ['not_found', 'invalid'],
    body: SetGroupsBody,
    handle: ({ viewer, params, body }) =>
      quotaAdministration.setGroupsOf(viewer, params.username, body.groups),
  });
}
