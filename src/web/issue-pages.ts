import { Type } from 'typebox';
import { html } from '../core/html.ts';
import type { App } from '../http/app.ts';
import { wireTime } from '../http/time.ts';
import { ISSUE } from '../issues/actions.ts';
import type { Issue } from '../issues/model.ts';
import type { Issues } from '../issues/service.ts';
import { sendPage } from './page.ts';
import { breadcrumbs } from './repository-page.ts';

/** Registers the pages of issues, to which their records link. */
export function issuePages(app: App, { issues }: { readonly issues: Issues }): void {
  const params = Type.Object({ owner: Type.String(), repo: Type.String(), number: Type.String() });
  app.get(
    '/:owner/:repo/issues/:number',
    { config: { action: ISSUE.read }, schema: { params } },
    async ({ viewer, params: { owner, repo, number } }, reply) =>
      sendPage(reply, issuePage(await issues.get(viewer, { repository: { owner, name: repo }, number }))),
  );
}

function issuePage(issue: Issue) {
  const { repository, number, title, author } = issue;
  const body = html`${breadcrumbs(repository)}
<h1>${title} #${number}</h1>
<p>${issue.isClosed ? 'closed' : 'open'}, by ${author?.name ?? 'Ghost'} at ${wireTime(issue.createdAt)}</p>
<pre>${issue.body}</pre>`;
  return { title: `${title} #${number} · ${repository.owner.name}/${repository.name}`, body };
}
