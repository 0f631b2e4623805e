import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { isFailure, undefinedIf } from '../../../base/core/failure.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import { parseId } from '../../../base/core/text/ids.ts';
import { comparedNamesOf } from '../../../code/commits/model.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { App } from '../../../http/app.ts';
import { fieldOf, fieldsOf, isChecked, longTextOf } from '../../../http/pages/forms.ts';
import { localAddress } from '../../../http/pages/local-address.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { isDraft } from '../../../tracker/issues/rules.ts';
import { PULL } from '../../../tracker/pulls/actions.ts';
import type { Pull } from '../../../tracker/pulls/model.ts';
import { comparisonPath } from '../../addresses.ts';
import type { OpeningPull } from '../../code/commits/pages.ts';
import { signedIn } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import { viewOf } from '../parts/view.ts';
import { mayOpenPull, newPullForm } from './new-pull-form.ts';
import { problemOfChange } from './problems.ts';
import type { PullTools } from './tools.ts';
import { pathOf, pullPath } from './view.ts';

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), '*': Type.String() });
const SEE_OTHER = 303;

/** Registers the form that opens a pull request. The page of a comparison has it. */
export function newPullPages(app: App, tools: PullTools): void {
  app.post(
    '/:owner/:repo/compare/*',
    {
      bodyLimit: WEB_LIMITS.textFormBytesMax,
      config: { action: PULL.create, isForm: true },
      schema: { params: Params },
    },
    async (request, reply) => {
      const viewer = signedIn(request);
      const { owner, repo, '*': basehead } = request.params;
      const path = { owner, name: repo };
      try {
        const pull = await open(request, { viewer, path, basehead, tools });
        return reply.redirect(localAddress(pullPath(pull), tools.addresses), SEE_OTHER);
      } catch (error) {
        const problem = problemOfChange(error, reply);
        if (problem === undefined) throw error;
        return sendAgain(request, reply, { path, basehead, problem, tools });
      }
    },
  );
}

/** Returns what the page of a comparison shows to open a pull request. */
export function openingFormOf(tools: PullTools) {
  return async (request: FastifyRequest, reply: FastifyReply, pull: OpeningPull): Promise<Html> => {
    const { permitted, base, head, message } = pull;
    const { repository } = permitted;
    const view = viewOf(request, reply, { permitted, addresses: tools.addresses });
    const path = { owner: repository.owner.name, name: repository.name };
    const existing = await openPullBetween(request, { path, branches: { base, head }, tools });
    if (existing !== undefined) return existing;
    if (mayOpenPull(view)) return newPullForm(view, { base, head, message }, tools);
    const here = `${comparisonPath(repository, { base, head, isDirect: false })}?expand=1`;
    if (view.token === undefined)
      return html`<p class="notice"><a href="/user/login?redirect_to=${encodeURIComponent(here)}">Sign in</a> to open a pull request.</p>
`;
    return html`<p class="notice">You may not open pull requests in this repository.</p>
`;
  };
}

interface Asked {
  readonly viewer: SignedIn;
  readonly path: RepositoryPath;
  /** `base...head` */
  readonly basehead: string;
  readonly tools: PullTools;
}

async function open(request: FastifyRequest, { viewer, path, basehead, tools }: Asked): Promise<Pull> {
  const { base, head } = await branchesOf(request, { path, basehead, tools });
  const title = fieldOf(request, 'title').trim();
  const wantsDraft = isChecked(request, 'draft') && title !== '' && !isDraft(title);
  const pull = await tools.pulls.create(viewer, path, {
    base,
    head,
    title: wantsDraft ? `WIP: ${title}` : title,
    body: longTextOf(request, 'content'),
    labels: fieldsOf(request, 'label').flatMap((id) => parseId(id) ?? []),
    assignees: fieldsOf(request, 'assignee'),
    milestone: parseId(fieldOf(request, 'milestone')) ?? null,
    dueAt: null,
  });
  const users = fieldsOf(request, 'reviewer');
  // The pull request is open. A reviewer who may not read the code any more does not undo that.
  if (users.length > 0)
    await tools.reviewRequests
      .add(viewer, pathOf(pull), { users, teams: [] })
      .catch(undefinedIf('invalid', 'not_found', 'forbidden'));
  return pull;
}

/** Reads the branches that an address names. */
async function branchesOf(
  { viewer }: FastifyRequest,
  { path, basehead, tools }: Omit<Asked, 'viewer'>,
): Promise<{ readonly base: string; readonly head: string }> {
  const names = comparedNamesOf(basehead);
  const { base } = await tools.pulls.open(viewer, path);
  const { defaultBranch } = base.repository;
  const branch = names.head === '' ? defaultBranch : names.head;
  const owner =
    names.headOwner === null
      ? ''
      : names.headOwner + (names.headRepository === null ? '' : `/${names.headRepository}`);
  return {
    base: names.base === '' ? defaultBranch : names.base,
    head: owner === '' ? branch : `${owner}:${branch}`,
  };
}

async function sendAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, basehead, problem, tools }: Omit<Asked, 'viewer'> & { readonly problem: string },
): Promise<FastifyReply> {
  const { base: permitted } = await tools.pulls.open(request.viewer, path);
  const view = viewOf(request, reply, { permitted, addresses: tools.addresses });
  const branches = await branchesOf(request, { path, basehead, tools });
  const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const { repository } = permitted;
  const comparison = comparisonPath(repository, { ...branches, isDirect: false });
  const form = await newPullForm(view, { ...branches, message: undefined }, tools, { problem, fields });
  const existing = await openPullBetween(request, { path, branches, tools });
  return sendPage(reply, {
    title: `New pull request · ${repository.owner.name}/${repository.name}`,
    hasForm: true,
    body: html`${repositoryHeader(permitted, 'pulls')}<div class="stack">
<h1>New pull request</h1>
<p class="quiet">into <code>${branches.base}</code> from <code>${branches.head}</code>: <a href="${comparison}">see the changes</a></p>
${existing ?? html``}${form}</div>`,
  });
}

/** Returns a link to the open pull request of the same branches, if there is one. */
async function openPullBetween(
  { viewer }: FastifyRequest,
  {
    path,
    branches,
    tools,
  }: {
    readonly path: RepositoryPath;
    readonly branches: { base: string; head: string };
    readonly tools: PullTools;
  },
): Promise<Html | undefined> {
  const pull = await tools.pulls.getBetween(viewer, path, branches).catch((error) => {
    if (!isFailure(error, 'not_found')) throw error;
    return undefined;
  });
  if (pull === undefined || pull.issue.isClosed) return undefined;
  return html`<p class="notice"><a href="${pullPath(pull)}">${pull.issue.title} #${pull.issue.number}</a> is open for these branches.</p>
`;
}
