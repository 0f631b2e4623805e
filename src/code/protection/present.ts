import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { ListedProtection } from './model.ts';
import { isGlob } from './patterns.ts';
import { BranchProtectionSchema, TagProtectionSchema } from './schema.ts';

function presentBranchProtection(protection: ListedProtection): Static<typeof BranchProtectionSchema> {
  const { pattern, settings, lists } = protection;
  return {
    branch_name: isGlob(pattern) ? '' : pattern,
    rule_name: pattern,
    enable_push: protection.allowsPush,
    enable_push_whitelist: protection.limitsPush,
    push_whitelist_usernames: [...lists.push.accounts],
    push_whitelist_teams: [...lists.push.teams],
    push_whitelist_deploy_keys: settings.pushDeployKeys,
    enable_force_push: protection.allowsForcePush,
    enable_force_push_allowlist: protection.limitsForcePush,
    force_push_allowlist_usernames: [...lists['force-push'].accounts],
    force_push_allowlist_teams: [...lists['force-push'].teams],
    force_push_allowlist_deploy_keys: settings.forcePushDeployKeys,
    enable_merge_whitelist: protection.limitsMerge,
    merge_whitelist_usernames: [...lists.merge.accounts],
    merge_whitelist_teams: [...lists.merge.teams],
    enable_status_check: settings.hasStatusCheck,
    status_check_contexts: [...settings.statusContexts],
    required_approvals: settings.requiredApprovals,
    enable_approvals_whitelist: settings.limitsApprovals,
    approvals_whitelist_username: [...lists.approve.accounts],
    approvals_whitelist_teams: [...lists.approve.teams],
    block_on_rejected_reviews: settings.blocksOnRejectedReviews,
    block_on_official_review_requests: settings.blocksOnReviewRequests,
    block_on_outdated_branch: settings.blocksOnOutdatedBranch,
    dismiss_stale_approvals: settings.dismissesStaleApprovals,
    ignore_stale_approvals: settings.ignoresStaleApprovals,
    require_signed_commits: protection.requiresSignatures,
    protected_file_patterns: protection.protectedFiles,
    unprotected_file_patterns: protection.unprotectedFiles,
    apply_to_admins: settings.appliesToAdmins,
    created_at: wireTime(protection.createdAt),
    updated_at: wireTime(protection.updatedAt),
  };
}

function presentTagProtection(protection: ListedProtection): Static<typeof TagProtectionSchema> {
  return {
    id: protection.id,
    name_pattern: protection.pattern,
    whitelist_usernames: [...protection.lists.push.accounts],
    whitelist_teams: [...protection.lists.push.teams],
    created_at: wireTime(protection.createdAt),
    updated_at: wireTime(protection.updatedAt),
  };
}

export const BranchProtectionAnswer = answerOf(BranchProtectionSchema, presentBranchProtection);
export const TagProtectionAnswer = answerOf(TagProtectionSchema, presentTagProtection);
