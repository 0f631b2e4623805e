import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import type { ListedProtection, ListPurpose } from '../../code/protection/model.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { checkbox, selectField, textField } from '../parts/fields.ts';

const PUSHERS = [
  ['all', 'Everyone who may write'],
  ['listed', 'Only the users and teams below'],
  ['none', 'No user: changes come by pull requests'],
] as const;
const FLAGS = [
  ['enable_force_push', 'Those who may push may also replace commits'],
  ['require_signed_commits', 'Only signed commits'],
  ['block_on_rejected_reviews', 'No merge while a review requests changes'],
  ['block_on_official_review_requests', 'No merge while a requested review is missing'],
  ['block_on_outdated_branch', 'No merge of an outdated branch'],
  ['dismiss_stale_approvals', 'New commits dismiss approvals'],
] as const;

/** Returns a list of names, which may be separated by commas or spaces. */
export function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** Returns the form of a rule as the body of the API. */
export function sentProtection(request: FastifyRequest) {
  const pushers = fieldOf(request, 'pushers');
  const contexts = fieldOf(request, 'status_check_contexts')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const mergers = namesIn(fieldOf(request, 'merge_users'));
  const mergingTeams = namesIn(fieldOf(request, 'merge_teams'));
  const approvals = Number.parseInt(fieldOf(request, 'required_approvals'), 10);
  return {
    rule_name: fieldOf(request, 'rule_name').trim(),
    enable_push: pushers !== 'none',
    enable_push_whitelist: pushers === 'listed',
    push_whitelist_usernames: namesIn(fieldOf(request, 'push_users')),
    push_whitelist_teams: namesIn(fieldOf(request, 'push_teams')),
    enable_merge_whitelist: mergers.length + mergingTeams.length > 0,
    merge_whitelist_usernames: mergers,
    merge_whitelist_teams: mergingTeams,
    enable_status_check: contexts.length > 0,
    status_check_contexts: contexts,
    required_approvals: Number.isSafeInteger(approvals) && approvals > 0 ? approvals : 0,
    protected_file_patterns: fieldOf(request, 'protected_file_patterns').trim(),
    ...Object.fromEntries(FLAGS.map(([name]) => [name, isChecked(request, name)])),
  };
}

/** Returns the fields of a rule: what was typed, or else what it has. */
export function protectionFields(
  request: FastifyRequest,
  known: ListedProtection | undefined,
  pattern: string,
): Html {
  const isSent = request.method === 'POST';
  const value = (name: string, stored: string) => (isSent ? fieldOf(request, name) : stored);
  const people = (purpose: ListPurpose) => known?.lists[purpose].accounts.join(' ') ?? '';
  const teams = (purpose: ListPurpose) => known?.lists[purpose].teams.join(' ') ?? '';
  const pushers =
    known === undefined || (known.allowsPush && !known.limitsPush)
      ? 'all'
      : known.allowsPush
        ? 'listed'
        : 'none';
  const stored: Readonly<Record<(typeof FLAGS)[number][0], boolean | undefined>> = {
    enable_force_push: known?.allowsForcePush,
    require_signed_commits: known?.requiresSignatures,
    block_on_rejected_reviews: known?.settings.blocksOnRejectedReviews,
    block_on_official_review_requests: known?.settings.blocksOnReviewRequests,
    block_on_outdated_branch: known?.settings.blocksOnOutdatedBranch,
    dismiss_stale_approvals: known?.settings.dismissesStaleApprovals,
  };
  const name =
    known === undefined
      ? textField({
          name: 'rule_name',
          label: 'Branches',
          value: value('rule_name', pattern),
          isRequired: true,
          hasFocus: true,
          hint: 'A name such as main, or a pattern such as release/*',
        })
      : html`<input type="hidden" name="rule_name" value="${known.pattern}">`;
  const contexts = value('status_check_contexts', known?.settings.statusContexts.join('\n') ?? '');
  return html`${name}
<fieldset><legend>Pushes</legend>${selectField({ name: 'pushers', label: 'Who may push', value: value('pushers', pushers), options: PUSHERS })}${textField({ name: 'push_users', label: 'Users', value: value('push_users', people('push')) })}${textField({ name: 'push_teams', label: 'Teams', value: value('push_teams', teams('push')) })}</fieldset>
<fieldset><legend>Merges</legend>${textField({ name: 'required_approvals', label: 'Approvals that a merge needs', type: 'number', value: value('required_approvals', `${known?.settings.requiredApprovals ?? 0}`) })}${textField({ name: 'merge_users', label: 'Only these users may merge', value: value('merge_users', people('merge')), hint: 'Empty: everyone who may write.' })}${textField({ name: 'merge_teams', label: 'Only these teams may merge', value: value('merge_teams', teams('merge')) })}<label>Statuses that must succeed, one on each line <textarea name="status_check_contexts" rows="3">
${contexts}</textarea></label></fieldset>
<fieldset><legend>Also</legend>${FLAGS.map(([flag, label]) => checkbox({ name: flag, label, isChecked: isSent ? isChecked(request, flag) : stored[flag] === true }))}${textField({ name: 'protected_file_patterns', label: 'Files that no push may change', value: value('protected_file_patterns', known?.protectedFiles ?? ''), hint: 'Patterns with semicolons between them.' })}</fieldset>
`;
}
