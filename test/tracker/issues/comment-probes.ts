import { ISSUE } from '../../../src/tracker/issues/actions.ts';
import { type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const ISSUES_URL = `${REPOSITORY_URL}/issues`;
const ISSUE_URL = `${ISSUES_URL}/:number`;
const COMMENTS_URL = `${ISSUE_URL}/comments`;
const COMMENT_URL = `${ISSUES_URL}/comments/:id`;
const LABELS_URL = `${ISSUE_URL}/labels`;
const TEXT = { json: { body: 'Text' } };
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;

/** Probes of comments, and of what happens around them. */
export const COMMENT_PROBES: readonly Probe[] = [
  { label: 'comments of repository', method: 'GET', url: `${ISSUES_URL}/comments`, action: ISSUE.read },
  { label: 'comments of issue', method: 'GET', url: COMMENTS_URL, action: ISSUE.read, ...MISSING },
  {
    label: 'create comment',
    method: 'POST',
    url: COMMENTS_URL,
    action: ISSUE.comment,
    sent: TEXT,
    ...MISSING,
  },
  { label: 'comment', method: 'GET', url: COMMENT_URL, action: ISSUE.read, isOfMissing: true },
  ...[COMMENT_URL, `${COMMENTS_URL}/:id`].flatMap((url): readonly Probe[] => {
    const label = url === COMMENT_URL ? 'comment' : 'comment of issue';
    return [
      { label: `edit ${label}`, method: 'PATCH', url, action: ISSUE.changeComment, sent: TEXT, ...MISSING },
      { label: `delete ${label}`, method: 'DELETE', url, action: ISSUE.changeComment, ...MISSING },
    ];
  }),
  { label: 'timeline', method: 'GET', url: `${ISSUE_URL}/timeline`, action: ISSUE.read, ...MISSING },
  { label: 'labels of issue', method: 'GET', url: LABELS_URL, action: ISSUE.read, ...MISSING },
  ...['POST', 'PUT', 'DELETE'].map(
    (method): Probe => ({
      label: `${method} labels of issue`,
      method,
      url: LABELS_URL,
      action: ISSUE.manage,
      sent: { json: { labels: [] } },
      ...MISSING,
    }),
  ),
  {
    label: 'remove label from issue',
    method: 'DELETE',
    url: `${LABELS_URL}/:identifier`,
    action: ISSUE.manage,
    ...MISSING,
  },
  ...[`${ISSUE_URL}/reactions`, `${COMMENT_URL}/reactions`].flatMap((url): readonly Probe[] => {
    const label = url.startsWith(COMMENT_URL) ? 'reactions of comment' : 'reactions of issue';
    const sent = { json: { content: '+1' } };
    return [
      { label, method: 'GET', url, action: ISSUE.read, ...MISSING },
      { label: `add to ${label}`, method: 'POST', url, action: ISSUE.comment, sent, ...MISSING },
      { label: `remove from ${label}`, method: 'DELETE', url, action: ISSUE.comment, sent, ...MISSING },
    ];
  }),
  { label: 'lock issue', method: 'PUT', url: `${ISSUE_URL}/lock`, action: ISSUE.manage, ...MISSING },
  { label: 'unlock issue', method: 'DELETE', url: `${ISSUE_URL}/lock`, action: ISSUE.manage, ...MISSING },
  {
    label: 'due date of issue',
    method: 'POST',
    url: `${ISSUE_URL}/deadline`,
    action: ISSUE.manage,
    sent: { json: { due_date: null } },
    ...MISSING,
  },
  { label: 'pinned issues', method: 'GET', url: `${ISSUES_URL}/pinned`, action: ISSUE.read },
  { label: 'new pin allowed', method: 'GET', url: `${REPOSITORY_URL}/new_pin_allowed`, action: ISSUE.read },
  { label: 'pin issue', method: 'POST', url: `${ISSUE_URL}/pin`, action: ISSUE.pin, ...MISSING },
  { label: 'unpin issue', method: 'DELETE', url: `${ISSUE_URL}/pin`, action: ISSUE.pin, ...MISSING },
  {
    label: 'move pin of issue',
    method: 'PATCH',
    url: `${ISSUE_URL}/pin/:position`,
    action: ISSUE.pin,
    filled: { ':number': '999999', ':position': '1' },
    isOfMissing: true,
  },
];
