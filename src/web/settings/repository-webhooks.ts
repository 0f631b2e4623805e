import { Type } from 'typebox';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { App } from '../../http/app.ts';
import { PagingQuery } from '../../http/paging.ts';
import { WEBHOOK } from '../../tracker/webhooks/actions.ts';
import { sendRepositorySettings, settingsPath } from './repository-frame.ts';
import { WebhookPages, type WebhookTools } from './webhook-pages.ts';
import type { FindPlace } from './webhook-place.ts';

interface Dependencies extends WebhookTools {
  readonly repositories: Repositories;
}

const PATH = '/:owner/:repo/settings/hooks';
const InRepository = { owner: Type.String(), repo: Type.String() };
const ofList = { params: Type.Object(InRepository), querystring: Type.Object(PagingQuery) };
const ofNew = {
  params: Type.Object(InRepository),
  querystring: Type.Object({ type: Type.Optional(Type.String()) }),
};
const ofHook = { params: Type.Object({ ...InRepository, id: Type.String() }) };

/** Registers the pages of the webhooks of repositories. */
export function repositoryWebhooks(app: App, { repositories, ...tools }: Dependencies): void {
  const find: FindPlace = async (request, reply, access) => {
    const { owner, repo: name } = request.params as { owner: string; repo: string };
    const permitted = await repositories.get(request.viewer, { owner, name }, WEBHOOK[access]);
    const { repository } = permitted;
    return {
      place: { of: 'repository', repositoryId: repository.id, ownerId: repository.owner.id },
      path: settingsPath(repository, '/hooks'),
      send: (title, body) => sendRepositorySettings(reply, { permitted, title, part: '/hooks', body }),
    };
  };
  const pages = new WebhookPages(tools, find);
  const reading = { action: WEBHOOK.read };
  const writing = { action: WEBHOOK.change };
  const changing = { action: WEBHOOK.change, isForm: true } as const;
  app.get(PATH, { config: reading, schema: ofList }, (request, reply) => pages.list(request, reply));
  app.get(`${PATH}/new`, { config: writing, schema: ofNew }, (request, reply) => pages.new(request, reply));
  app.post(`${PATH}/new`, { config: changing, schema: ofNew }, (request, reply) =>
    pages.create(request, reply),
  );
  app.get(`${PATH}/:id`, { config: reading, schema: ofHook }, (request, reply) => pages.show(request, reply));
  app.post(`${PATH}/:id`, { config: changing, schema: ofHook }, (request, reply) =>
    pages.change(request, reply),
  );
}
