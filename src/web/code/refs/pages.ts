import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { pagingOf } from '../../../base/core/paging.ts';
import { BRANCH } from '../../../code/branches/actions.ts';
import type { BranchReader } from '../../../code/branches/read.ts';
import type { BranchChanges } from '../../../code/branches/write.ts';
import { TAG } from '../../../code/tags/actions.ts';
import type { Tags } from '../../../code/tags/service.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { fieldOf } from '../../../http/pages/forms.ts';
import { localAddress } from '../../../http/pages/local-address.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { encoded } from '../../addresses.ts';
import { signedIn } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { codeProblemOf } from '../form-problems.ts';
import { answerGo, isForGo } from '../go-get.ts';
import { GoQuery, InRepository, repositoryOf } from '../route-parts.ts';
import { branchesPage, type FailedForm } from './branches-page.ts';
import { tagsPage } from './tags-page.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly branchReader: BranchReader;
  readonly branchChanges: BranchChanges;
  readonly tags: Tags;
  readonly addresses: Addresses;
}

const SEE_OTHER = 303;
const params = Type.Object(InRepository);
const querystring = Type.Object({ ...GoQuery, page: Type.Optional(Type.Integer()) });

/** Registers the pages of branches and tags. */
export function refPages(app: App, dependencies: Dependencies): void {
  branchList(app, dependencies);
  branchForms(app, dependencies);
  tagList(app, dependencies);
}

function branchList(app: App, dependencies: Dependencies): void {
  app.get(
    '/:owner/:repo/branches',
    { config: { action: BRANCH.read }, schema: { params, querystring } },
    async (request, reply) => {
      const path = repositoryOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      return sendBranches(request, reply, { dependencies, page: request.query.page, failed: undefined });
    },
  );
}

async function sendBranches(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: {
    readonly dependencies: Dependencies;
    readonly page?: number | undefined;
    readonly failed: FailedForm | undefined;
  },
): Promise<FastifyReply> {
  const { branchReader, addresses } = shown.dependencies;
  const paging = pagingOf({ page: shown.page, limit: WEB_LIMITS.branchesPageItemsMax });
  const overview = await branchReader.overview(request.viewer, repositoryOf(request.params), paging);
  const view = { request, reply, addresses, ...paging, failed: shown.failed };
  return sendPage(reply, branchesPage(overview, view));
}

function branchForms(app: App, dependencies: Dependencies): void {
  const { branchChanges } = dependencies;

  app.post(
    '/:owner/:repo/branches/_new',
    { config: { action: BRANCH.create, isForm: true }, schema: { params } },
    async (request, reply) => {
      const [name, start] = [fieldOf(request, 'name').trim(), fieldOf(request, 'start').trim()];
      const wanted = { start: { kind: 'ref', name: start } as const, seen: undefined };
      const change = () =>
        branchChanges.create(signedIn(request), repositoryOf(request.params), name, wanted);
      const missing = () => `There is no branch, tag or commit with the name ${start}.`;
      return answer(request, reply, { dependencies, form: 'new', name, start, change, missing, next: name });
    },
  );

  app.post(
    '/:owner/:repo/branches/rename',
    { config: { action: BRANCH.rename, isForm: true }, schema: { params } },
    async (request, reply) => {
      const [from, to] = [fieldOf(request, 'name'), fieldOf(request, 'to').trim()];
      const change = () =>
        branchChanges.rename(signedIn(request), repositoryOf(request.params), {
          from,
          to,
          seenTip: fieldOf(request, 'seen') || undefined,
        });
      const missing = () => `There is no branch ${from} any more.`;
      return answer(request, reply, { dependencies, form: 'rename', name: to, start: from, change, missing });
    },
  );

  app.post(
    '/:owner/:repo/branches/delete',
    { config: { action: BRANCH.delete, isForm: true }, schema: { params } },
    async (request, reply) => {
      const name = fieldOf(request, 'name');
      const seenTip = fieldOf(request, 'seen') || undefined;
      const change = () =>
        branchChanges.delete(signedIn(request), repositoryOf(request.params), name, { seenTip });
      const missing = () => `There is no branch ${name} any more.`;
      return answer(request, reply, { dependencies, form: 'delete', name, start: '', change, missing });
    },
  );
}

/** Makes a change and leads to the list, or to a new branch; shows the list with the problem otherwise. */
async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Omit<FailedForm, 'problem'> & {
    readonly dependencies: Dependencies;
    readonly change: () => Promise<void>;
    readonly missing: () => string;
    /** branch whose files are shown afterwards */
    readonly next?: string;
  },
): Promise<FastifyReply> {
  const { dependencies, change, missing, next, ...form } = sent;
  const { owner, name } = repositoryOf(request.params);
  const root = `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  try {
    await change();
  } catch (error) {
    // A hidden repository has no list, and the list throws then.
    const problem = codeProblemOf(error, reply, missing);
    if (problem === undefined) throw error;
    return sendBranches(request, reply, { dependencies, failed: { ...form, problem } });
  }
  const path = next === undefined ? `${root}/branches` : `${root}/src/branch/${encoded(next)}`;
  return reply.redirect(localAddress(path, dependencies.addresses), SEE_OTHER);
}

function tagList(app: App, dependencies: Dependencies): void {
  const { tags, addresses } = dependencies;

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    shown: { readonly page?: number | undefined; readonly problem: string | undefined },
  ) => {
    const paging = pagingOf({ page: shown.page, limit: WEB_LIMITS.tagsPageItemsMax });
    const found = await tags.listHighest(request.viewer, repositoryOf(request.params), paging);
    const view = { request, reply, addresses, problem: shown.problem };
    return sendPage(reply, tagsPage(found, await tags.readAll(found), view));
  };

  app.get(
    '/:owner/:repo/tags',
    { config: { action: TAG.read }, schema: { params, querystring } },
    async (request, reply) => {
      const path = repositoryOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      return send(request, reply, { page: request.query.page, problem: undefined });
    },
  );

  app.post(
    '/:owner/:repo/tags/delete',
    { config: { action: TAG.delete, isForm: true }, schema: { params } },
    async (request, reply) => {
      const path = repositoryOf(request.params);
      const [name, seen] = [fieldOf(request, 'name'), fieldOf(request, 'seen') || undefined];
      try {
        await tags.delete(signedIn(request), path, name, seen);
      } catch (error) {
        const problem = codeProblemOf(error, reply, () => `There is no tag ${name} any more.`);
        if (problem === undefined) throw error;
        return send(request, reply, { problem });
      }
      const root = `/${encodeURIComponent(path.owner)}/${encodeURIComponent(path.name)}`;
      return reply.redirect(localAddress(`${root}/tags`, addresses), SEE_OTHER);
    },
  );
}
