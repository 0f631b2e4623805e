import { undefinedIf } from '../../../base/core/failure.ts';
import { html } from '../../../base/core/text/html.ts';
import type { Page } from '../../../http/pages/page.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { commitListHtml } from '../../parts/commit-list.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { hasFormsOf } from '../parts/view.ts';
import { pullHead } from './head.ts';
import { openDiffs } from './open-diffs.ts';
import type { PullTools } from './tools.ts';
import { type PullView, pullPath } from './view.ts';

const OPTIONS = { hasStats: false, hasFiles: false, hasVerification: true };

/** The page of the commits of a pull request, newest first. */
export async function commitsPage(view: PullView, number: number, tools: PullTools): Promise<Page> {
  const { viewer, pull } = view;
  const opened = await openDiffs(view, '/commits', tools);
  if ('instead' in opened) return opened.instead;
  const paging = { page: number, limit: WEB_LIMITS.pullCommitsMax };
  const page = await tools.pullDiffs
    .commits(viewer, opened, { paging, options: OPTIONS })
    .catch(undefinedIf('not_found'));
  const commits = page?.commits ?? [];
  const total = page?.total ?? 0;
  const list =
    commits.length === 0
      ? emptyHtml('No commits', 'The base has all commits of the head.')
      : commitListHtml(commits, view.addresses);
  const { owner, name } = pull.base.repository;
  return {
    title: `Commits of ${pull.issue.title} #${pull.issue.number} · ${owner.name}/${name}`,
    body: html`${pullHead(view, '/commits', total)}
<div class="stack">${list}</div>
${pagerHtml(`${pullPath(pull)}/commits`, { page: number, hasNext: total > number * paging.limit })}`,
    ...hasFormsOf(view),
  };
}
