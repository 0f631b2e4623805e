import { PULL } from '../../../../src/tracker/pulls/actions.ts';
import type { Probe } from '../../../api/access/probe.ts';

const PAGE = '/:owner/:repo/pulls/:number';
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;

function pageOf(label: string, rest: string, action: Probe['action']): Probe {
  return { label, method: 'GET', url: `${PAGE}${rest}`, action, ...MISSING };
}

function formOf(label: string, rest: string, action: Probe['action']): Probe {
  return { label, method: 'POST', url: `${PAGE}${rest}`, action, ...MISSING };
}

export const PULL_PAGE_PROBES: readonly Probe[] = [
  { label: 'page of pull requests', method: 'GET', url: '/:owner/:repo/pulls', action: PULL.readThread },
  {
    label: 'open pull request on the page',
    method: 'POST',
    url: '/:owner/:repo/compare/*',
    action: PULL.create,
    filled: { '*': 'no-base...no-head' },
  },
  pageOf('page of a pull request', '', PULL.readThread),
  pageOf('page of the commits of a pull request', '/commits', PULL.read),
  pageOf('page of the files of a pull request', '/files', PULL.read),
  {
    ...pageOf('page after signing in for a form', '/*', PULL.read),
    filled: { ':number': '999999', '*': 'merge' },
  },
  pageOf('page that edits a pull request', '/edit', PULL.change),
  formOf('edit pull request on the page', '/edit', PULL.change),
  formOf('mark pull request as a draft on the page', '/draft', PULL.change),
  formOf('delete the branch of a pull request on the page', '/cleanup', PULL.change),
  formOf('restore the branch of a pull request on the page', '/restore', PULL.change),
  formOf('merge pull request on the page', '/merge', PULL.merge),
  formOf('cancel merge on the page', '/cancel_auto_merge', PULL.merge),
  formOf('update pull request on the page', '/update', PULL.merge),
  formOf('request reviews on the page', '/request_review', PULL.review),
  formOf('comment on lines on the page', '/files/reviews/comments', PULL.review),
  formOf('submit a review on the page', '/files/reviews/submit', PULL.review),
  formOf('discard a review on the page', '/files/reviews/discard', PULL.review),
  formOf('delete a comment on lines on the page', '/files/reviews/delete', PULL.review),
  formOf('resolve a comment on the page', '/files/reviews/resolve', PULL.review),
  formOf('apply a suggestion on the page', '/files/reviews/suggestions', PULL.review),
  formOf('dismiss a review on the page', '/files/reviews/dismiss', PULL.dismiss),
];
