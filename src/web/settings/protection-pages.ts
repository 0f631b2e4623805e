import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure, undefinedIf } from '../../base/core/failure.ts';
import { type PageQuery, pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { PROTECTION } from '../../code/protection/actions.ts';
import type { ListedProtection } from '../../code/protection/model.ts';
import { branchProtectionEditOf, newBranchProtectionOf } from '../../code/protection/options.ts';
import type { Protections } from '../../code/protection/service.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { protectionFields, sentProtection } from './protection-form.ts';
import { sendRepositorySettings, settingsPath } from './repository-frame.ts';

export interface ProtectionTools {
  readonly repositories: Repositories;
  readonly protections: Protections;
  readonly addresses: Addresses;
}

const PATH = '/:owner/:repo/settings/branches';
const EDIT_PATH = `${PATH}/edit`;
const Params = Type.Object({ owner: Type.String(), repo: Type.String() });
const Rule = Type.Object({ rule_name: Type.Optional(Type.String()) });
/** A form has no version of what it changes: the last one wins. */
const ANY_VERSION = () => {};

/** Registers the pages of the protections of branches. */
export function branchProtectionPages(app: App, dependencies: ProtectionTools): void {
  const { repositories, protections, addresses } = dependencies;
  app.get(
    PATH,
    {
      config: { action: PROTECTION.read },
      schema: { params: Params, querystring: Type.Object(PagingQuery) },
    },
    async (request, reply) => sendList(request, reply, dependencies),
  );

  app.post(
    PATH,
    { config: { action: PROTECTION.change, isForm: true }, schema: { params: Params } },
    async (request, reply) => {
      const path = repositoryIn(request);
      const { repository } = await repositories.get(request.viewer, path, PROTECTION.change);
      try {
        const key = { kind: 'branch', pattern: fieldOf(request, 'rule_name') } as const;
        await protections.delete(signedIn(request), path, key, ANY_VERSION).catch(undefinedIf('not_found'));
        return reply.redirect(localAddress(settingsPath(repository, '/branches'), addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendList(request, reply, dependencies, problem);
      }
    },
  );

  app.get(
    EDIT_PATH,
    { config: { action: PROTECTION.change }, schema: { params: Params, querystring: Rule } },
    async (request, reply) => sendRule(request, reply, dependencies, request.query.rule_name ?? ''),
  );

  app.post(
    EDIT_PATH,
    { config: { action: PROTECTION.change, isForm: true }, schema: { params: Params } },
    async (request, reply) => {
      const viewer = signedIn(request);
      const path = repositoryIn(request);
      const { repository } = await repositories.get(viewer, path, PROTECTION.change);
      const former = fieldOf(request, 'former');
      try {
        const body = sentProtection(request);
        if (former === '') await protections.create(viewer, path, 'branch', newBranchProtectionOf(body));
        else {
          const { rule_name: _, ...change } = body;
          const key = { kind: 'branch', pattern: former } as const;
          await protections.edit(viewer, path, key, branchProtectionEditOf(change), ANY_VERSION);
        }
        return reply.redirect(localAddress(settingsPath(repository, '/branches'), addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendRule(request, reply, dependencies, former, problem);
      }
    },
  );
}

/** Returns the path of the repository of a request. */
export function repositoryIn({ params }: FastifyRequest) {
  const { owner, repo: name } = params as { owner: string; repo: string };
  return { owner, name };
}

async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, protections, addresses }: ProtectionTools,
  problem?: string,
): Promise<FastifyReply> {
  const path = repositoryIn(request);
  const permitted = await repositories.get(request.viewer, path, PROTECTION.read);
  const action = settingsPath(permitted.repository, '/branches');
  const paging = pagingOf(request.query as PageQuery);
  const list = await protections.list(request.viewer, path, 'branch', paging);
  const rows = list.items.map(({ pattern }) => {
    const deletion = buttonForm(
      request,
      reply,
      { action, fields: { rule_name: pattern }, button: 'Delete', look: 'small danger' },
      addresses,
    );
    return html`<li><div class="grow"><a href="${action}/edit?rule_name=${encodeURIComponent(pattern)}"><code>${pattern}</code></a></div>${deletion}</li>
`;
  });
  const none = emptyHtml(
    'No branch is protected',
    'Users with write access can push to, replace and delete branches.',
  );
  return sendRepositorySettings(reply, {
    permitted,
    title: 'Protected branches',
    part: '/branches',
    body: html`${problemHtml(problem)}<p class="row"><span>A rule says who may push to branches, and what a merge needs.</span><a class="button primary end" href="${action}/edit">New rule</a></p>
${rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`}
${pagerHtml(action, { page: paging.page, hasNext: paging.page * paging.limit < list.total })}`,
  });
}

async function sendRule(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, protections, addresses }: ProtectionTools,
  pattern: string,
  problem?: string,
): Promise<FastifyReply> {
  const path = repositoryIn(request);
  const permitted = await repositories.get(request.viewer, path, PROTECTION.change);
  const known = pattern === '' ? undefined : await find(request, protections, pattern);
  const action = `${settingsPath(permitted.repository, '/branches')}/edit`;
  const form = formHtml(
    request,
    reply,
    {
      action,
      fields: html`<input type="hidden" name="former" value="${known?.pattern ?? ''}">
${protectionFields(request, known, pattern)}`,
      button: 'Save',
    },
    addresses,
  );
  return sendRepositorySettings(reply, {
    permitted,
    title: known === undefined ? 'New rule' : `Rule for ${known.pattern}`,
    part: '/branches',
    body: html`${problemHtml(problem)}${form}`,
  });
}

/** @returns undefined for branches that have no rule yet: the page offers a new one */
async function find(
  request: FastifyRequest,
  protections: Protections,
  pattern: string,
): Promise<ListedProtection | undefined> {
  try {
    return await protections.get(request.viewer, repositoryIn(request), { kind: 'branch', pattern });
  } catch (error) {
    if (isFailure(error, 'not_found')) return undefined;
    throw error;
  }
}
