import { undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { KnownCommit } from '../../../code/git-data/model.ts';
import type { Page } from '../../../http/pages/page.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { shortIdHtml, subjectHtml } from '../../parts/commits.ts';
import { emptyHtml, pagerHtml } from '../../parts/lists.ts';
import { avatarHtml, personHtml } from '../../parts/people.ts';
import { agoHtml } from '../../parts/time.ts';
import { hasFormsOf } from '../parts/view.ts';
import { pullHead } from './head.ts';
import type { PullTools } from './tools.ts';
import { type PullView, pathOf, pullPath } from './view.ts';

const OPTIONS = { hasStats: false, hasFiles: false, hasVerification: false };

/** The page of the commits of a pull request, newest first. */
export async function commitsPage(view: PullView, number: number, { pullDiffs }: PullTools): Promise<Page> {
  const { viewer, pull } = view;
  const opened = await pullDiffs.open(viewer, pathOf(pull));
  const paging = { page: number, limit: WEB_LIMITS.pullCommitsMax };
  const page = await pullDiffs
    .commits(viewer, opened, { paging, options: OPTIONS })
    .catch(undefinedIf('not_found'));
  const commits = page?.commits ?? [];
  const total = page?.total ?? 0;
  const rows = commits.map((commit) => commitRow(view, commit));
  const list =
    rows.length === 0
      ? emptyHtml('No commits', 'The base has all commits of the head.')
      : html`<div class="box"><ul class="rows">
${rows}</ul></div>`;
  const { owner, name } = pull.base.repository;
  return {
    title: `Commits of ${pull.issue.title} #${pull.issue.number} · ${owner.name}/${name}`,
    body: html`${pullHead(view, '/commits', total)}
${list}
${pagerHtml(`${pullPath(pull)}/commits`, { page: number, hasNext: total > number * paging.limit })}`,
    ...hasFormsOf(view),
  };
}

function commitRow({ pull, addresses }: PullView, { commit, author }: KnownCommit): Html {
  const { repository } = pull.base;
  const who = author === null ? html`${commit.author.name}` : personHtml(author);
  const picture = author === null ? html`` : html`${avatarHtml(author, 20, addresses)} `;
  return html`<li><div class="grow"><strong>${subjectHtml(repository, commit)}</strong><div class="quiet small">${picture}${who} committed ${agoHtml(commit.committer.seconds * 1000)}</div></div><span class="end">${shortIdHtml(repository, commit.oid)}</span></li>
`;
}
