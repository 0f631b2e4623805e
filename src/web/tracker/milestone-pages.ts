import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { RepositoryAction } from '../../api/access/actions.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, longTextOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { MILESTONE } from '../../tracker/milestones/actions.ts';
import type { Milestone } from '../../tracker/milestones/model.ts';
import { milestoneFilterOf } from '../../tracker/milestones/options.ts';
import type { Milestones } from '../../tracker/milestones/service.ts';
import { repositoryPath } from '../addresses.ts';
import { signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { WEB_LIMITS } from '../limits.ts';
import { milestoneFormPage, milestonesPage, type TypedMilestone } from './milestone-page.ts';
import { renderedTexts } from './parts/texts.ts';
import { type TrackerView, viewOf } from './parts/view.ts';
import { dayOf } from './thread-forms.ts';

interface Dependencies {
  readonly milestones: Milestones;
  readonly repositories: Repositories;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const Params = Type.Object(InRepository);
const One = Type.Object({ ...InRepository, id: Type.String() });
const Query = Type.Object({ state: Type.Optional(Type.String()), page: Type.Optional(Type.String()) });
const SEE_OTHER = 303;
const bodyLimit = WEB_LIMITS.textFormBytesMax;

/** Registers the pages of the milestones of a repository. */
export function milestonePages(app: App, dependencies: Dependencies): void {
  app.get(
    '/:owner/:repo/milestones',
    { config: { action: MILESTONE.read }, schema: { params: Params, querystring: Query } },
    (request, reply) => sendMilestones(request, reply, dependencies),
  );
  newMilestone(app, dependencies);
  editedMilestone(app, dependencies);
  shortForms(app, dependencies);
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}

async function open(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, addresses }: Dependencies,
  action: RepositoryAction,
): Promise<TrackerView> {
  const permitted = await repositories.get(request.viewer, pathOf(request), action);
  return viewOf(request, reply, { permitted, addresses });
}

async function sendMilestones(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const { state, page: pageText = '1' } = request.query as { state?: string; page?: string };
  const page = parseId(pageText) ?? 1;
  const filter = milestoneFilterOf(state === undefined ? {} : { state });
  const paging = { page, limit: WEB_LIMITS.milestonesPageItemsMax };
  const list = await dependencies.milestones.list(request.viewer, pathOf(request), filter, paging);
  const view = await open(request, reply, dependencies, MILESTONE.read);
  const texts = await renderedTexts(
    view,
    dependencies.markdown,
    list.items.map(({ id, description }) => ({ id, body: description })),
  );
  const shown = {
    list,
    page,
    texts,
    isClosed: filter.state === 'closed',
    ...(problem === undefined ? {} : { problem }),
  };
  return sendPage(reply, milestonesPage(view, shown));
}

function typedIn(request: FastifyRequest): TypedMilestone {
  return {
    title: fieldOf(request, 'title'),
    description: longTextOf(request, 'content'),
    day: fieldOf(request, 'deadline'),
  };
}

function typedOf({ title, description, dueAt }: Milestone): TypedMilestone {
  return {
    title,
    description,
    day: dueAt === null ? '' : new Date(dueAt).toISOString().slice(0, 'yyyy-mm-dd'.length),
  };
}

function newMilestone(app: App, dependencies: Dependencies): void {
  const url = '/:owner/:repo/milestones/new';
  app.get(
    url,
    { config: { action: MILESTONE.change }, schema: { params: Params } },
    async (request, reply) => {
      const view = await open(request, reply, dependencies, MILESTONE.change);
      return sendPage(reply, milestoneFormPage(view, undefined, { title: '', description: '', day: '' }));
    },
  );
  const config = { action: MILESTONE.change, isForm: true } as const;
  app.post(url, { bodyLimit, config, schema: { params: Params } }, (request, reply) =>
    change(request, reply, dependencies, {
      async run() {
        const { title, description, day } = typedIn(request);
        const fields = { title, description, dueAt: dayOf(day), isClosed: false };
        await dependencies.milestones.create(signedIn(request), pathOf(request), fields);
      },
      again: (view, problem) =>
        sendPage(reply, milestoneFormPage(view, undefined, typedIn(request), problem)),
    }),
  );
}

function editedMilestone(app: App, dependencies: Dependencies): void {
  const { milestones } = dependencies;
  const url = '/:owner/:repo/milestones/:id/edit';
  app.get(url, { config: { action: MILESTONE.change }, schema: { params: One } }, async (request, reply) => {
    const view = await open(request, reply, dependencies, MILESTONE.change);
    const { id } = request.params;
    const milestone = await milestones.get(request.viewer, pathOf(request), id);
    return sendPage(reply, milestoneFormPage(view, id, typedOf(milestone)));
  });
  const config = { action: MILESTONE.change, isForm: true } as const;
  app.post(url, { bodyLimit, config, schema: { params: One } }, (request, reply) =>
    change(request, reply, dependencies, {
      async run() {
        const { title, description, day } = typedIn(request);
        const edit = { title, description, dueAt: dayOf(day) };
        const named = { key: request.params.id, edit };
        await milestones.edit(signedIn(request), pathOf(request), named, () => {});
      },
      again: (view, problem) =>
        sendPage(reply, milestoneFormPage(view, request.params.id, typedIn(request), problem)),
    }),
  );
}

function shortForms(app: App, dependencies: Dependencies): void {
  const { milestones } = dependencies;
  const config = { action: MILESTONE.change, isForm: true } as const;
  app.post('/:owner/:repo/milestones/:id/state', { config, schema: { params: One } }, (request, reply) =>
    change(request, reply, dependencies, {
      async run() {
        const edit = { isClosed: fieldOf(request, 'status') === 'closed' };
        const named = { key: request.params.id, edit };
        await milestones.edit(signedIn(request), pathOf(request), named, () => {});
      },
      again: (_view, problem) => sendMilestones(request, reply, dependencies, problem),
    }),
  );
  app.post('/:owner/:repo/milestones/:id/delete', { config, schema: { params: One } }, (request, reply) =>
    change(request, reply, dependencies, {
      run: () => milestones.delete(signedIn(request), pathOf(request), request.params.id, () => {}),
      again: (_view, problem) => sendMilestones(request, reply, dependencies, problem),
    }),
  );
}

interface Change {
  readonly run: () => Promise<void>;
  readonly again: (view: TrackerView, problem: string) => FastifyReply | Promise<FastifyReply>;
}

async function change(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  { run, again }: Change,
): Promise<FastifyReply> {
  const view = await open(request, reply, dependencies, MILESTONE.change);
  try {
    await run();
    const list = `${repositoryPath(view.permitted.repository)}/milestones`;
    return reply.redirect(localAddress(list, dependencies.addresses), SEE_OTHER);
  } catch (error) {
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    return again(view, problem);
  }
}
