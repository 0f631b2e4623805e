import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import type { IssuePath } from '../../tracker/issues/access.ts';
import type { Issue } from '../../tracker/issues/model.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { problemHtml, signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { repositoryHeader } from '../parts/repository-header.ts';
import { PREVIEW_FIELD, previewBox } from './parts/preview.ts';
import { threadScriptHtml } from './parts/thread-script.ts';
import { issuePath, type TrackerView, viewOf } from './parts/view.ts';

export const SEE_OTHER = 303;

export interface ThreadPages {
  readonly issues: Issues;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

/** A change of a thread that a form asks for. */
export interface ThreadCall {
  readonly request: FastifyRequest;
  readonly viewer: SignedIn;
  readonly path: IssuePath;
  readonly issue: Issue;
  readonly view: TrackerView;
}

interface ThreadChange {
  /** @returns the path of the page to go to; undefined: of the thread */
  readonly run: (call: ThreadCall) => Promise<string | undefined>;
  /** shows the form again with what was typed, if it could not be used, or for a preview */
  readonly again?: (call: ThreadCall) => Promise<Html> | Html;
  /** the text that a preview shows, instead of a change */
  readonly text?: string;
}

/** Opens a thread for a page or a form that only people who have signed in can use. */
export async function openThread(
  request: FastifyRequest,
  reply: FastifyReply,
  { issues, addresses }: ThreadPages,
): Promise<ThreadCall> {
  const { owner, repo, number } = request.params as { owner: string; repo: string; number: string };
  const path = { repository: { owner, name: repo }, number };
  // A hidden thread is missing also for people who have not signed in.
  const { issue, permitted } = await issues.open(request.viewer, path);
  const viewer = signedIn(request);
  return { request, viewer, path, issue, view: viewOf(request, reply, { permitted, addresses }) };
}

/** Does what a form asks for, and leads to the thread, or shows why it cannot be done. */
export async function changeThread(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: ThreadPages,
  { run, again, text }: ThreadChange,
): Promise<FastifyReply> {
  const call = await openThread(request, reply, dependencies);
  if (text !== undefined && isChecked(request, PREVIEW_FIELD)) {
    const preview = await previewBox(call.view, dependencies.markdown, text);
    return sendThreadForm(reply, call, { content: html`${preview}${(await again?.(call)) ?? html``}` });
  }
  try {
    const to = (await run(call)) ?? issuePath(call.issue);
    return reply.redirect(localAddress(to, dependencies.addresses), SEE_OTHER);
  } catch (error) {
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    return sendThreadForm(reply, call, { problem, content: (await again?.(call)) ?? html`` });
  }
}

/** Sends a page with one form about a thread. */
export function sendThreadForm(
  reply: FastifyReply,
  { issue, view }: ThreadCall,
  { problem, content }: { readonly problem?: string | undefined; readonly content: Html },
): FastifyReply {
  const { repository, title, number, isPull } = issue;
  const noun = isPull ? 'pull request' : 'issue';
  return sendPage(reply, {
    title: `${title} #${number} · ${repository.owner.name}/${repository.name}`,
    hasForm: true,
    hasScript: true,
    head: threadScriptHtml(),
    body: html`${repositoryHeader(view.permitted, isPull ? 'pulls' : 'issues')}
<div class="stack">
<h1>${title} <span class="quiet">#${number}</span></h1>
${problemHtml(problem)}${content}
<p><a href="${issuePath(issue)}">Back to the ${noun}</a></p>
</div>`,
  });
}
