import type { Static } from 'typebox';
import { invalid, malformed } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { STATUS_LIMITS } from '../statuses/limits.ts';
import { PROTECTION_LIMITS } from './limits.ts';
import type { ProtectionEdit, StoredSettings } from './model.ts';
import type {
  CreateBranchProtectionBody,
  EditBranchProtectionBody,
  EditTagProtectionBody,
} from './schema.ts';

type BranchBody = Static<typeof EditBranchProtectionBody>;
type NewProtection = ProtectionEdit & { readonly pattern: string };

/** @throws ForgeError `malformed`, `invalid` */
export function newBranchProtectionOf(body: Static<typeof CreateBranchProtectionBody>): NewProtection {
  const pattern = nonEmpty(body.rule_name) ?? nonEmpty(body.branch_name);
  if (pattern === undefined) throw malformed('[RuleName]: Required');
  return { ...branchProtectionEditOf(body), pattern };
}

/** @throws ForgeError `invalid` */
export function branchProtectionEditOf(body: BranchBody): ProtectionEdit {
  return {
    ...given('allowsPush', body.enable_push),
    ...given('limitsPush', body.enable_push_whitelist),
    ...given('allowsForcePush', body.enable_force_push),
    ...given('limitsForcePush', body.enable_force_push_allowlist),
    ...given('limitsMerge', body.enable_merge_whitelist),
    ...given('requiresSignatures', body.require_signed_commits),
    ...given('protectedFiles', body.protected_file_patterns),
    ...given('unprotectedFiles', body.unprotected_file_patterns),
    settings: settingsOf(body),
    lists: {
      push: namesOf(body.push_whitelist_usernames, body.push_whitelist_teams),
      'force-push': namesOf(body.force_push_allowlist_usernames, body.force_push_allowlist_teams),
      merge: namesOf(body.merge_whitelist_usernames, body.merge_whitelist_teams),
      approve: namesOf(body.approvals_whitelist_username, body.approvals_whitelist_teams),
    },
  };
}

/** @throws ForgeError `malformed`, `invalid` */
export function newTagProtectionOf(body: Static<typeof EditTagProtectionBody>): NewProtection {
  const pattern = body.name_pattern?.trim();
  if (pattern === undefined || pattern === '') throw malformed('[NamePattern]: Required');
  if ([...(body.whitelist_usernames ?? []), ...(body.whitelist_teams ?? [])].length === 0) {
    throw invalid('name the users or the teams that may change these tags');
  }
  return { ...tagProtectionEditOf(body), pattern };
}

export function tagProtectionEditOf(body: Static<typeof EditTagProtectionBody>): ProtectionEdit {
  return {
    ...given('pattern', body.name_pattern?.trim()),
    settings: {},
    lists: { push: namesOf(body.whitelist_usernames, body.whitelist_teams) },
  };
}

function settingsOf(body: BranchBody): Partial<StoredSettings> {
  return {
    ...given('pushDeployKeys', body.push_whitelist_deploy_keys),
    ...given('forcePushDeployKeys', body.force_push_allowlist_deploy_keys),
    ...given('hasStatusCheck', body.enable_status_check),
    ...given('statusContexts', contextsOf(body.status_check_contexts)),
    ...given('limitsApprovals', body.enable_approvals_whitelist),
    ...given('requiredApprovals', approvalsOf(body.required_approvals)),
    ...given('blocksOnRejectedReviews', body.block_on_rejected_reviews),
    ...given('blocksOnReviewRequests', body.block_on_official_review_requests),
    ...given('blocksOnOutdatedBranch', body.block_on_outdated_branch),
    ...given('dismissesStaleApprovals', body.dismiss_stale_approvals),
    ...given('ignoresStaleApprovals', body.ignore_stale_approvals),
    ...given('appliesToAdmins', body.apply_to_admins),
  };
}

function contextsOf(contexts: readonly string[] | undefined): readonly string[] | undefined {
  if (contexts === undefined) return undefined;
  const countMax = PROTECTION_LIMITS.statusContextsPerProtectionMax;
  if (contexts.length > countMax) throw invalid(`a protection has at most ${countMax} status contexts`);
  const charsMax = STATUS_LIMITS.statusContextCharsMax;
  if (!contexts.every((context) => context.length <= charsMax && isPlainLine(context))) {
    throw invalid(`a status context is one line of at most ${charsMax} characters`);
  }
  return contexts;
}

/** A negative number counts as none. */
function approvalsOf(count: number | undefined): number | undefined {
  return count === undefined
    ? undefined
    : Math.min(Math.max(count, 0), PROTECTION_LIMITS.requiredApprovalsMax);
}

function namesOf(accounts: readonly string[] | undefined, teams: readonly string[] | undefined) {
  return { ...given('accounts', accounts), ...given('teams', teams) };
}

/** A field that the request has; otherwise nothing. */
function given<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
