import { ISSUE } from '../../../src/tracker/issues/actions.ts';
import { ISSUE_SUBSCRIPTION } from '../../../src/tracker/issues/discussion/subscriptions/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';
import { ATTACHMENT_PROBES, DOWNLOAD_PROBE } from './attachments/attachment-probes.ts';
import { COMMENT_PROBES } from './comment-probes.ts';
import { DEPENDENCY_PROBES } from './dependency-probes.ts';
import { OWN_TIME_PROBES, TIME_PROBES } from './time-probes.ts';

const ISSUES_URL = `${REPOSITORY_URL}/issues`;
const ISSUE_URL = `${ISSUES_URL}/:number`;
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;

const SUBSCRIPTIONS_URL = `${ISSUE_URL}/subscriptions`;
const SUBSCRIPTION = { action: ISSUE_SUBSCRIPTION.change, ...MISSING } as const;
export const PROBES: FeatureProbes = {
  ownOperations: ['issueLockIssue', 'issueUnlockIssue'],
  others: [
    { label: 'search issues', method: 'GET', url: '/api/v1/repos/issues/search', action: ISSUE.search },
    DOWNLOAD_PROBE,
    ...OWN_TIME_PROBES,
  ],
  repository: [
    { label: 'list issues', method: 'GET', url: ISSUES_URL, action: ISSUE.read },
    {
      label: 'create issue',
      method: 'POST',
      url: ISSUES_URL,
      action: ISSUE.create,
      sent: { json: { title: '' } },
    },
    { label: 'issue', method: 'GET', url: ISSUE_URL, action: ISSUE.read, ...MISSING },
    {
      label: 'edit issue',
      method: 'PATCH',
      url: ISSUE_URL,
      action: ISSUE.change,
      sent: { json: {} },
      ...MISSING,
    },
    ...COMMENT_PROBES,
    { label: 'delete issue', method: 'DELETE', url: ISSUE_URL, action: ISSUE.delete, ...MISSING },
    { label: 'issue subscriptions', method: 'GET', url: SUBSCRIPTIONS_URL, action: ISSUE.read, ...MISSING },
    {
      label: 'check issue subscription',
      method: 'GET',
      url: `${SUBSCRIPTIONS_URL}/check`,
      action: ISSUE_SUBSCRIPTION.read,
      ...MISSING,
    },
    {
      label: 'subscribe to issue',
      method: 'PUT',
      url: `${SUBSCRIPTIONS_URL}/:username`,
      ...SUBSCRIPTION,
    },
    {
      label: 'unsubscribe from issue',
      method: 'DELETE',
      url: `${SUBSCRIPTIONS_URL}/:username`,
      ...SUBSCRIPTION,
    },
    ...DEPENDENCY_PROBES,
    ...TIME_PROBES,
    ...ATTACHMENT_PROBES,
  ],
};
