import { WIKI } from '../../../src/hosting/wikis/actions.ts';
import { ISSUE } from '../../../src/tracker/issues/actions.ts';
import { ISSUE_SUBSCRIPTION } from '../../../src/tracker/issues/discussion/subscriptions/actions.ts';
import { DEPENDENCY } from '../../../src/tracker/issues/planning/dependencies/actions.ts';
import { TIME } from '../../../src/tracker/issues/planning/times/actions.ts';
import { LABEL } from '../../../src/tracker/labels/actions.ts';
import { MILESTONE } from '../../../src/tracker/milestones/actions.ts';
import { NOTIFICATION } from '../../../src/tracker/notifications/actions.ts';
import { RELEASE } from '../../../src/tracker/releases/actions.ts';
import type { Probe } from '../../api/access/probe.ts';

const REPOSITORY = '/:owner/:repo';
const THREAD = `${REPOSITORY}/issues/:number`;
const COMMENT = `${THREAD}/comments/:id`;
const MISSING = { filled: { ':number': '999999', ':attachment': '999999' }, isOfMissing: true } as const;
const FILE = {
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: '--b\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nText\r\n--b--\r\n',
};

function threadForm(label: string, path: string, action: Probe['action']): Probe {
  return { label: `${label} on the page`, method: 'POST', url: `${THREAD}/${path}`, action, ...MISSING };
}

/** The forms of threads, which name an issue that does not exist. */
const THREAD_PROBES: readonly Probe[] = [
  { label: 'form of an issue', method: 'GET', url: `${THREAD}/edit`, action: ISSUE.change, ...MISSING },
  {
    label: 'form of a comment',
    method: 'GET',
    url: `${COMMENT}/edit`,
    action: ISSUE.changeComment,
    ...MISSING,
  },
  {
    label: 'form that deletes an issue',
    method: 'GET',
    url: `${THREAD}/delete`,
    action: ISSUE.delete,
    ...MISSING,
  },
  threadForm('edit an issue', 'edit', ISSUE.change),
  threadForm('delete an issue', 'delete', ISSUE.delete),
  threadForm('comment', 'comments', ISSUE.comment),
  threadForm('edit a comment', 'comments/:id/edit', ISSUE.changeComment),
  threadForm('delete a comment', 'comments/:id/delete', ISSUE.changeComment),
  threadForm('react', 'reactions', ISSUE.comment),
  threadForm('subscribe', 'watch', ISSUE_SUBSCRIPTION.change),
  ...['labels', 'assignees', 'milestone', 'deadline', 'lock', 'unlock'].map((path) =>
    threadForm(`${path} of an issue`, path, ISSUE.manage),
  ),
  threadForm('pin', 'pin', ISSUE.pin),
  threadForm('unpin', 'unpin', ISSUE.pin),
  threadForm('add a dependency', 'dependencies', DEPENDENCY.change),
  threadForm('remove a dependency', 'dependencies/delete', DEPENDENCY.change),
  threadForm('add time', 'times', TIME.change),
  threadForm('delete time', 'times/delete', TIME.change),
  threadForm('stopwatch', 'stopwatch', TIME.watch),
  { ...threadForm('attach to an issue', 'assets', ISSUE.change), sent: FILE },
  { ...threadForm('attach to a comment', 'comments/:id/assets', ISSUE.changeComment), sent: FILE },
  threadForm('delete a file of an issue', 'assets/:attachment/delete', ISSUE.change),
  threadForm('delete a file of a comment', 'comments/:id/assets/:attachment/delete', ISSUE.changeComment),
];

const MILESTONE_PAGE = `${REPOSITORY}/milestones/:id`;
const RELEASE_PAGE = `${REPOSITORY}/releases/:id`;
const ASSET = { filled: { ':asset': '999999' }, isOfMissing: true } as const;

const PLANNING_PROBES: readonly Probe[] = [
  { label: 'page of issues', method: 'GET', url: `${REPOSITORY}/issues`, action: ISSUE.read },
  { label: 'page of a new issue', method: 'GET', url: `${REPOSITORY}/issues/new`, action: ISSUE.create },
  {
    label: 'choice of a new issue',
    method: 'GET',
    url: `${REPOSITORY}/issues/new/choose`,
    action: ISSUE.create,
  },
  {
    label: 'open an issue on the page',
    method: 'POST',
    url: `${REPOSITORY}/issues/new`,
    action: ISSUE.create,
  },
  { label: 'page of labels', method: 'GET', url: `${REPOSITORY}/labels`, action: LABEL.read },
  {
    label: 'create a label on the page',
    method: 'POST',
    url: `${REPOSITORY}/labels/new`,
    action: LABEL.change,
  },
  ...['edit', 'delete'].map(
    (path): Probe => ({
      label: `${path} a label on the page`,
      method: 'POST',
      url: `${REPOSITORY}/labels/${path}`,
      action: LABEL.change,
      isOfMissing: true,
    }),
  ),
  { label: 'page of milestones', method: 'GET', url: `${REPOSITORY}/milestones`, action: MILESTONE.read },
  {
    label: 'issues of a milestone',
    method: 'GET',
    url: `${REPOSITORY}/milestone/:id`,
    action: MILESTONE.read,
    isOfMissing: true,
  },
  {
    label: 'page of a new milestone',
    method: 'GET',
    url: `${REPOSITORY}/milestones/new`,
    action: MILESTONE.change,
  },
  {
    label: 'create a milestone on the page',
    method: 'POST',
    url: `${REPOSITORY}/milestones/new`,
    action: MILESTONE.change,
  },
  {
    label: 'form of a milestone',
    method: 'GET',
    url: `${MILESTONE_PAGE}/edit`,
    action: MILESTONE.change,
    isOfMissing: true,
  },
  ...['edit', 'state', 'delete'].map(
    (path): Probe => ({
      label: `${path} of a milestone on the page`,
      method: 'POST',
      url: `${MILESTONE_PAGE}/${path}`,
      action: MILESTONE.change,
      sent: {
        body: 'title=Soon',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      isOfMissing: true,
    }),
  ),
];

const RELEASE_PROBES: readonly Probe[] = [
  {
    label: 'page of a new release',
    method: 'GET',
    url: `${REPOSITORY}/releases/new`,
    action: RELEASE.create,
  },
  {
    label: 'create a release on the page',
    method: 'POST',
    url: `${REPOSITORY}/releases/new`,
    action: RELEASE.create,
  },
  {
    label: 'form of a release',
    method: 'GET',
    url: `${RELEASE_PAGE}/edit`,
    action: RELEASE.change,
    isOfMissing: true,
  },
  {
    label: 'edit a release on the page',
    method: 'POST',
    url: `${RELEASE_PAGE}/edit`,
    action: RELEASE.change,
    isOfMissing: true,
  },
  {
    label: 'delete a release on the page',
    method: 'POST',
    url: `${RELEASE_PAGE}/delete`,
    action: RELEASE.delete,
    isOfMissing: true,
  },
  {
    label: 'add an asset on the page',
    method: 'POST',
    url: `${RELEASE_PAGE}/assets`,
    action: RELEASE.change,
    sent: FILE,
    isOfMissing: true,
  },
  {
    label: 'delete an asset on the page',
    method: 'POST',
    url: `${RELEASE_PAGE}/assets/:asset/delete`,
    action: RELEASE.change,
    ...ASSET,
  },
];

const WIKI_PROBES: readonly Probe[] = [
  {
    label: 'create a wiki page on the page',
    method: 'POST',
    url: `${REPOSITORY}/wiki`,
    action: WIKI.beginEdit,
    neededLevel: 'write',
  },
  {
    label: 'edit a wiki page on the page',
    method: 'POST',
    url: `${REPOSITORY}/wiki/:pageName`,
    action: WIKI.beginEdit,
    neededLevel: 'write',
    filled: { ':pageName': 'Missing' },
    isOfMissing: true,
  },
];

/** The pages and forms of a repository. */
export const TRACKER_PROBES: readonly Probe[] = [
  ...PLANNING_PROBES,
  ...THREAD_PROBES,
  ...RELEASE_PROBES,
  ...WIKI_PROBES,
];

/** The lists of the viewer. */
export const OWN_LIST_PROBES: readonly Probe[] = [
  { label: "page of the viewer's issues", method: 'GET', url: '/issues', action: ISSUE.searchOwn },
  { label: "page of the viewer's pull requests", method: 'GET', url: '/pulls', action: ISSUE.searchOwn },
  { label: 'page of notifications', method: 'GET', url: '/notifications', action: NOTIFICATION.read },
  {
    label: 'mark a notification on the page',
    method: 'POST',
    url: '/notifications/status',
    action: NOTIFICATION.change,
  },
  {
    label: 'mark all notifications on the page',
    method: 'POST',
    url: '/notifications/purge',
    action: NOTIFICATION.change,
  },
];
