import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound, undefinedIf } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { LABEL } from '../../tracker/labels/actions.ts';
import type { LabelFields, LabelPlace } from '../../tracker/labels/model.ts';
import type { Labels } from '../../tracker/labels/service.ts';
import { repositoryPath } from '../addresses.ts';
import { signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { WEB_LIMITS } from '../limits.ts';
import { labelsPage, type TypedLabel } from './label-page.ts';
import { viewOf } from './parts/view.ts';

interface Dependencies {
  readonly labels: Labels;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

const Params = Type.Object({ owner: Type.String(), repo: Type.String() });
const Query = Type.Object({ page: Type.Optional(Type.String()) });
const SEE_OTHER = 303;

/** Registers the page of the labels of a repository, and its forms. */
export function labelPages(app: App, dependencies: Dependencies): void {
  const { labels } = dependencies;
  app.get(
    '/:owner/:repo/labels',
    { config: { action: LABEL.read }, schema: { params: Params, querystring: Query } },
    (request, reply) => sendLabels(request, reply, dependencies),
  );
  const config = { action: LABEL.change, isForm: true } as const;
  app.post('/:owner/:repo/labels/new', { config, schema: { params: Params } }, (request, reply) =>
    change(request, reply, dependencies, async (place) => {
      await labels.create(signedIn(request), place, labelIn(request));
    }),
  );
  app.post('/:owner/:repo/labels/edit', { config, schema: { params: Params } }, (request, reply) =>
    change(request, reply, dependencies, async (place) => {
      const named = { id: requiredId(request), edit: labelIn(request) };
      await labels.edit(signedIn(request), place, named, () => {});
    }),
  );
  app.post('/:owner/:repo/labels/delete', { config, schema: { params: Params } }, (request, reply) =>
    change(request, reply, dependencies, (place) =>
      labels.delete(signedIn(request), place, requiredId(request), () => {}),
    ),
  );
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}

function labelIn(request: FastifyRequest): LabelFields {
  return {
    name: fieldOf(request, 'title'),
    color: fieldOf(request, 'color'),
    description: fieldOf(request, 'description'),
    isExclusive: isChecked(request, 'exclusive'),
    isArchived: isChecked(request, 'archived'),
  };
}

/** @throws ForgeError `not_found` */
function requiredId(request: FastifyRequest): number {
  const id = parseId(fieldOf(request, 'id'));
  if (id === undefined) throw notFound('label');
  return id;
}

async function sendLabels(
  request: FastifyRequest,
  reply: FastifyReply,
  { labels, repositories, addresses }: Dependencies,
  typed?: TypedLabel,
): Promise<FastifyReply> {
  const { viewer } = request;
  const path = pathOf(request);
  const page = parseId((request.query as { page?: string }).page ?? '1') ?? 1;
  const limit = WEB_LIMITS.labelsPageItemsMax;
  const own = await labels.list(viewer, { kind: 'repository', path }, 'name', { page, limit });
  const permitted = await repositories.get(viewer, path, LABEL.read);
  const { owner } = permitted.repository;
  const shared =
    owner.kind === 'organization'
      ? await labels
          .list(viewer, { kind: 'organization', name: owner.name }, 'name', { page, limit })
          .catch(undefinedIf('not_found', 'forbidden', 'unauthenticated'))
      : undefined;
  const hasNext = page * limit < Math.max(own.total, shared?.total ?? 0);
  const view = viewOf(request, reply, { permitted, addresses });
  const shown = { own: own.items, shared: shared?.items ?? [], page, hasNext, ...(typed && { typed }) };
  return sendPage(reply, labelsPage(view, shown));
}

async function change(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  run: (place: LabelPlace) => Promise<void>,
): Promise<FastifyReply> {
  const path = pathOf(request);
  const { repository } = await dependencies.repositories.get(request.viewer, path, LABEL.change);
  try {
    await run({ kind: 'repository', path });
    return reply.redirect(
      localAddress(`${repositoryPath(repository)}/labels`, dependencies.addresses),
      SEE_OTHER,
    );
  } catch (error) {
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    const { color, ...fields } = labelIn(request);
    const shown = { ...fields, color: color.replace(/^#/, '') };
    return sendLabels(request, reply, dependencies, {
      id: parseId(fieldOf(request, 'id')),
      fields: shown,
      problem,
    });
  }
}
