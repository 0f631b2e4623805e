import { undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import { icon } from '../../parts/icons.ts';
import { tabsHtml } from '../../parts/lists.ts';
import { counted } from '../../parts/numbers.ts';
import { personHtml } from '../../parts/people.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { agoHtml } from '../../parts/time.ts';
import { stateHtml } from '../parts/state.ts';
import type { PullTools } from './tools.ts';
import { baseHtml, headHtml, type PullView, pullPath } from './view.ts';

/** The part of a pull request that a page shows. */
export type PullPart = '' | '/commits' | '/files';

/** Counts the commits of a pull request; undefined if the viewer may not read them, or they are gone. */
export async function countCommits(
  { viewer, pull }: PullView,
  { pullDiffs }: Pick<PullTools, 'pullDiffs'>,
): Promise<number | undefined> {
  const { owner, name } = pull.base.repository;
  const path = { repository: { owner: owner.name, name }, number: `${pull.issue.number}` };
  const opened = await pullDiffs.open(viewer, path).catch(undefinedIf('forbidden', 'not_found', 'busy'));
  if (opened === undefined) return undefined;
  const options = { hasStats: false, hasFiles: false, hasVerification: false };
  const paging = { page: 1, limit: 1 };
  const page = await pullDiffs
    .commits(viewer, opened, { paging, options })
    .catch(undefinedIf('not_found', 'busy'));
  return page?.total;
}

/** Returns the title of a pull request, its branches and its tabs. */
export function pullHead(view: PullView, part: PullPart, commits: number | undefined): Html {
  const { pull, rights } = view;
  const { issue } = pull;
  const edit = rights.mayEdit
    ? html`<a class="button small" href="${pullPath(pull)}/edit">${icon('pencil')}Edit</a>`
    : html``;
  return html`${repositoryHeader(pull.base, 'pulls')}<div class="thread-head"><div class="row"><h1>${issue.title} <span class="quiet">#${issue.number}</span></h1><span class="end">${edit}</span></div>
<div class="row">${stateHtml(issue)}<span class="quiet">${whatHtml(view, commits)}</span></div></div>
${problemPart(view)}${tabsPart(view, part, commits)}`;
}

function whatHtml({ pull }: PullView, commits: number | undefined): Html {
  const { issue, state, mergedBy } = pull;
  const { merge } = state;
  const what = commits === undefined ? 'changes' : counted(commits, 'commit');
  const branches = html`into ${baseHtml(pull)} from ${headHtml(pull)}`;
  if (merge !== null) return html`${personHtml(mergedBy)} merged ${what} ${branches} ${agoHtml(merge.at)}`;
  const author =
    issue.author === null && issue.originalAuthor.name !== ''
      ? html`${issue.originalAuthor.name}`
      : personHtml(issue.author);
  return html`${author} ${issue.isClosed ? 'wanted' : 'wants'} to merge ${what} ${branches}`;
}

function problemPart({ failed }: PullView): Html {
  return failed === undefined
    ? html``
    : html`<p class="notice danger problem" role="alert">${failed.problem}</p>
`;
}

function tabsPart({ pull }: PullView, part: PullPart, commits = 0): Html {
  const path = pullPath(pull);
  const { issue, state } = pull;
  const tabs = [
    { path, words: 'Conversation', icon: icon('comment'), count: issue.commentsCount },
    { path: `${path}/commits`, words: 'Commits', icon: icon('commit'), count: commits },
    { path: `${path}/files`, words: 'Files changed', icon: icon('file'), count: state.changedFiles },
  ];
  return tabsHtml('Pull request', tabs, `${path}${part}`);
}
