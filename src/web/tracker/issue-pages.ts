import { Type } from 'typebox';
import type { Page } from '../../base/core/paging.ts';
import { asWritten, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { wireTime } from '../../http/time.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import { attachmentUrl } from '../../tracker/issues/attachments/present.ts';
import { anchorOf } from '../../tracker/issues/discussion/comments/present.ts';
import type { Comments } from '../../tracker/issues/discussion/comments/service.ts';
import type { Issue } from '../../tracker/issues/model.ts';
import type { Attachment } from '../../tracker/issues/models/attachments.ts';
import type { Comment } from '../../tracker/issues/models/comments.ts';
import { issueAddresses } from '../../tracker/issues/present.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import { breadcrumbs } from '../code/repository-page.ts';
import { WEB_LIMITS } from '../limits.ts';

/** Registers the pages of issues and pull requests, to which their records link. */
export function issuePages(
  app: App,
  {
    issues,
    comments,
    addresses,
  }: { readonly issues: Issues; readonly comments: Comments; readonly addresses: Addresses },
): void {
  const params = Type.Object({ owner: Type.String(), repo: Type.String(), number: Type.String() });
  for (const kind of ['issues', 'pulls'] as const)
    app.get(
      `/:owner/:repo/${kind}/:number`,
      { config: { action: ISSUE.read }, schema: { params } },
      async ({ viewer, params: { owner, repo, number } }, reply) => {
        const path = { repository: { owner, name: repo }, number };
        const issue = await issues.get(viewer, path);
        if (issue.isPull !== (kind === 'pulls'))
          return reply.redirect(issueAddresses(issue, addresses).htmlUrl, SEE_OTHER);
        const page = await comments.list(viewer, path, ALL_TIMES, FIRST_PAGE);
        return sendPage(reply, issuePage(issue, page, addresses));
      },
    );
}

const SEE_OTHER = 303;
const ALL_TIMES = { since: undefined, before: undefined };
const FIRST_PAGE = { page: 1, limit: WEB_LIMITS.issuePageCommentsMax };

function issuePage(issue: Issue, comments: Page<Comment>, addresses: Addresses) {
  const { repository, number, title, author } = issue;
  const body = html`${breadcrumbs(repository)}
<h1>${title} #${number}</h1>
<p>${stateOf(issue)}, by ${author?.name ?? 'Ghost'} at ${wireTime(issue.createdAt)}</p>
<pre>${asWritten(issue.body)}</pre>
${attachmentsPart(issue.attachments, addresses)}
${comments.items.map((comment) => commentPart(comment, addresses))}
${more(comments)}`;
  return { title: `${title} #${number} · ${repository.owner.name}/${repository.name}`, body };
}

function stateOf({ pull, isClosed }: Issue): string {
  if (pull !== null && pull.mergedAt !== null) return 'merged';
  return isClosed ? 'closed' : 'open';
}

function commentPart({ id, author, body, attachments, createdAt }: Comment, addresses: Addresses) {
  const charsMax = WEB_LIMITS.issuePageCommentCharsMax;
  const text = body.length > charsMax ? `${body.slice(0, charsMax)}…` : body;
  return html`<article id="${anchorOf(id)}">
<p>${author?.name ?? 'Ghost'} at ${wireTime(createdAt)}</p>
<pre>${asWritten(text)}</pre>
${attachmentsPart(attachments, addresses)}
</article>`;
}

function attachmentsPart(attachments: readonly Attachment[], addresses: Addresses) {
  return attachments.map(
    (attachment) => html`<p><a href="${attachmentUrl(attachment, addresses)}">${attachment.name}</a></p>`,
  );
}

function more({ items, total }: Page<Comment>) {
  return total > items.length ? html`<p>and ${total - items.length} more comments</p>` : '';
}
