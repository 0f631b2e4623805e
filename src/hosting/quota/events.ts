import { defineEvent } from '../../base/events/model.ts';

/** A rule was created, changed or deleted. */
export const QUOTA_RULE_CHANGED = defineEvent<{
  rule: string;
  /** null: deleted */
  bytesMax: number | null;
  subjects: readonly string[];
}>('quota.rule-changed', { audit: { target: 'quota-rule', name: 'rule' } });

/** A group was created or deleted, or has other rules. */
export const QUOTA_GROUP_CHANGED = defineEvent<{ group: string; isDeleted: boolean }>('quota.group-changed', {
  audit: { target: 'quota-group', name: 'group' },
});

/** An account is in other groups. */
export const QUOTA_MEMBER_CHANGED = defineEvent<{ accountId: number; groups: readonly string[] }>(
  'quota.member-changed',
  { audit: { target: 'account', id: 'accountId', isForSite: true } },
);
