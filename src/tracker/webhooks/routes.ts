import type { FastifyRequest } from 'fastify';
import type { SignedIn } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { WEBHOOK } from './actions.ts';
import type { HookPlace } from './model.ts';
import { deliveryOperations, type Family, hookOperations, namesIn } from './operations.ts';
import { TestQuery } from './schema.ts';
import type { Webhooks } from './service.ts';

interface Dependencies {
  readonly webhooks: Webhooks;
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

export function webhookRoutes(app: App, dependencies: Dependencies): void {
  repositoryRoutes(app, dependencies);
  organizationRoutes(app, dependencies);
  userRoutes(app, dependencies);
  siteRoutes(app, dependencies);
}

async function repositoryPlace(
  { repositories }: Dependencies,
  viewer: SignedIn,
  request: FastifyRequest,
  action: 'read' | 'change',
): Promise<HookPlace & { readonly of: 'repository' }> {
  const { owner = '', repo = '' } = namesIn(request);
  const { repository } = await repositories.get(viewer, { owner, name: repo }, WEBHOOK[action]);
  return { of: 'repository', repositoryId: repository.id, ownerId: repository.owner.id };
}

function repositoryRoutes(app: App, dependencies: Dependencies): void {
  const { webhooks, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'repository', addresses });
  const family: Family = {
    prefix: 'repo',
    of: 'Repository',
    whose: 'of a repository',
    placeOf: ({ viewer, request }, action) => repositoryPlace(dependencies, viewer, request, action),
  };
  const hooks = hookOperations(webhooks, family);
  const deliveries = deliveryOperations(webhooks, family);

  api.list('/repos/:owner/:repo/hooks', WEBHOOK.read, hooks.list);
  api.post('/repos/:owner/:repo/hooks', WEBHOOK.change, hooks.create);
  api.get('/repos/:owner/:repo/hooks/:id', WEBHOOK.read, hooks.get);
  api.patch('/repos/:owner/:repo/hooks/:id', WEBHOOK.change, hooks.edit);
  api.delete('/repos/:owner/:repo/hooks/:id', WEBHOOK.change, hooks.delete);
  api.list('/repos/:owner/:repo/hooks/:id/deliveries', WEBHOOK.read, deliveries.list);
  api.get('/repos/:owner/:repo/hooks/:id/deliveries/:delivery', WEBHOOK.read, deliveries.get);
  api.post(
    '/repos/:owner/:repo/hooks/:id/deliveries/:delivery/redeliver',
    WEBHOOK.change,
    deliveries.redeliver,
  );
  api.post('/repos/:owner/:repo/hooks/:id/deliveries/redeliver', WEBHOOK.change, deliveries.redeliverSince);

  api.post('/repos/:owner/:repo/hooks/:id/tests', WEBHOOK.change, {
    id: 'repoTestHook',
    summary: 'Send a test to a webhook: a push of the head of a branch or tag',
    failures: ['not_found', 'invalid'],
    query: TestQuery,
    async handle({ viewer, request, params, query }) {
      const place = await repositoryPlace(dependencies, viewer, request, 'change');
      return webhooks.test(place, params.id, query.ref);
    },
  });
}

function organizationRoutes(app: App, dependencies: Dependencies): void {
  const { webhooks, organizations, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'organization', addresses });
  const family: Family = {
    prefix: 'org',
    of: 'Organization',
    whose: 'of an organization',
    async placeOf({ viewer, request }, action) {
      const { org = '' } = namesIn(request);
      const asked = action === 'read' ? WEBHOOK.readOfOrganization : WEBHOOK.changeOfOrganization;
      const { organization } = await organizations.get(viewer, org, asked);
      return { of: 'organization', accountId: organization.id };
    },
  };
  const hooks = hookOperations(webhooks, family);
  const deliveries = deliveryOperations(webhooks, family);

  api.list('/orgs/:org/hooks', WEBHOOK.readOfOrganization, hooks.list);
  api.post('/orgs/:org/hooks', WEBHOOK.changeOfOrganization, hooks.create);
  api.get('/orgs/:org/hooks/:id', WEBHOOK.readOfOrganization, hooks.get);
  api.patch('/orgs/:org/hooks/:id', WEBHOOK.changeOfOrganization, hooks.edit);
  api.delete('/orgs/:org/hooks/:id', WEBHOOK.changeOfOrganization, hooks.delete);
  api.list('/orgs/:org/hooks/:id/deliveries', WEBHOOK.readOfOrganization, deliveries.list);
  api.get('/orgs/:org/hooks/:id/deliveries/:delivery', WEBHOOK.readOfOrganization, deliveries.get);
  api.post(
    '/orgs/:org/hooks/:id/deliveries/:delivery/redeliver',
    WEBHOOK.changeOfOrganization,
    deliveries.redeliver,
  );
  api.post(
    '/orgs/:org/hooks/:id/deliveries/redeliver',
    WEBHOOK.changeOfOrganization,
    deliveries.redeliverSince,
  );
}

function userRoutes(app: App, { webhooks, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });
  const family: Family = {
    prefix: 'user',
    of: 'User',
    whose: 'of your own, for all your repositories',
    placeOf: ({ viewer }) => ({ of: 'user', accountId: viewer.accountId }),
  };
  const hooks = hookOperations(webhooks, family);
  const deliveries = deliveryOperations(webhooks, family);

  api.list('/user/hooks', WEBHOOK.readOwn, hooks.list);
  api.post('/user/hooks', WEBHOOK.changeOwn, hooks.create);
  api.get('/user/hooks/:id', WEBHOOK.readOwn, hooks.get);
  api.patch('/user/hooks/:id', WEBHOOK.changeOwn, hooks.edit);
  api.delete('/user/hooks/:id', WEBHOOK.changeOwn, hooks.delete);
  api.list('/user/hooks/:id/deliveries', WEBHOOK.readOwn, deliveries.list);
  api.get('/user/hooks/:id/deliveries/:delivery', WEBHOOK.readOwn, deliveries.get);
  api.post('/user/hooks/:id/deliveries/:delivery/redeliver', WEBHOOK.changeOwn, deliveries.redeliver);
  api.post('/user/hooks/:id/deliveries/redeliver', WEBHOOK.changeOwn, deliveries.redeliverSince);
}

function siteRoutes(app: App, { webhooks, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });
  const family: Family = {
    prefix: 'admin',
    of: 'Site',
    whose: 'of the site',
    placeOf: () => ({ of: 'site' }),
  };
  const hooks = hookOperations(webhooks, family);
  const deliveries = deliveryOperations(webhooks, family);

  api.list('/admin/hooks', WEBHOOK.readOfSite, hooks.list);
  api.post('/admin/hooks', WEBHOOK.changeOfSite, hooks.create);
  api.get('/admin/hooks/:id', WEBHOOK.readOfSite, hooks.get);
  api.patch('/admin/hooks/:id', WEBHOOK.changeOfSite, hooks.edit);
  api.delete('/admin/hooks/:id', WEBHOOK.changeOfSite, hooks.delete);
  api.list('/admin/hooks/:id/deliveries', WEBHOOK.readOfSite, deliveries.list);
  api.get('/admin/hooks/:id/deliveries/:delivery', WEBHOOK.readOfSite, deliveries.get);
  api.post('/admin/hooks/:id/deliveries/:delivery/redeliver', WEBHOOK.changeOfSite, deliveries.redeliver);
  api.post('/admin/hooks/:id/deliveries/redeliver', WEBHOOK.changeOfSite, deliveries.redeliverSince);
}
