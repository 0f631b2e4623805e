import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../organizations/service.ts';
import { OAUTH_APPLICATION, ORGANIZATION_APPLICATION, SITE_APPLICATION } from './actions.ts';
import { applicationOperations } from './operations.ts';
import type { OAuthApplications } from './service.ts';

interface Dependencies {
  readonly oauthApplications: OAuthApplications;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

/** Adds the same operations for the applications of a user, of an organization and of the site. */
export function applicationRoutes(app: App, dependencies: Dependencies): void {
  ownRoutes(app, dependencies);
  organizationRoutes(app, dependencies);
  siteRoutes(app, dependencies);
}

function ownRoutes(app: App, { oauthApplications, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });
  const applications = applicationOperations<unknown>(oauthApplications, {
    prefix: 'user',
    listId: 'userGetOAuth2Applications',
    words: {
      all: 'your OAuth2 applications',
      one: 'one of your OAuth2 applications',
      created: 'an OAuth2 application',
    },
    ownerOf: ({ viewer: { accountId } }) => ({ accountId }),
  });

  api.list('/user/applications/oauth2', OAUTH_APPLICATION.list, applications.list);
  api.post('/user/applications/oauth2', OAUTH_APPLICATION.write, applications.create);
  api.get('/user/applications/oauth2/:id', OAUTH_APPLICATION.list, applications.get);
  api.patch('/user/applications/oauth2/:id', OAUTH_APPLICATION.write, applications.edit);
  api.delete('/user/applications/oauth2/:id', OAUTH_APPLICATION.write, applications.delete);
}

function organizationRoutes(app: App, { oauthApplications, organizations, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });
  const applications = applicationOperations<{ readonly org: string }>(oauthApplications, {
    prefix: 'org',
    listId: 'orgListOAuth2Applications',
    words: {
      all: 'the OAuth2 applications of an organization',
      one: 'an OAuth2 application of an organization',
      created: 'an OAuth2 application of an organization',
    },
    async ownerOf({ viewer, params: { org } }, action) {
      const { organization } = await organizations.get(viewer, org, ORGANIZATION_APPLICATION[action]);
      return { accountId: organization.id };
    },
  });

  api.list('/orgs/:org/applications/oauth2', ORGANIZATION_APPLICATION.list, applications.list);
  api.post('/orgs/:org/applications/oauth2', ORGANIZATION_APPLICATION.write, applications.create);
  api.get('/orgs/:org/applications/oauth2/:id', ORGANIZATION_APPLICATION.list, applications.get);
  api.patch('/orgs/:org/applications/oauth2/:id', ORGANIZATION_APPLICATION.write, applications.edit);
  api.delete('/orgs/:org/applications/oauth2/:id', ORGANIZATION_APPLICATION.write, applications.delete);
}

function siteRoutes(app: App, { oauthApplications, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });
  const applications = applicationOperations<unknown>(oauthApplications, {
    prefix: 'admin',
    listId: 'adminListOAuth2Applications',
    words: {
      all: 'the OAuth2 applications of the site, with those that every server has',
      one: 'an OAuth2 application of the site',
      created: 'an OAuth2 application of the site',
    },
    ownerOf: () => ({ accountId: null }),
  });

  api.list('/admin/applications/oauth2', SITE_APPLICATION.list, applications.list);
  api.post('/admin/applications/oauth2', SITE_APPLICATION.write, applications.create);
  api.get('/admin/applications/oauth2/:id', SITE_APPLICATION.list, applications.get);
  api.patch('/admin/applications/oauth2/:id', SITE_APPLICATION.write, applications.edit);
  api.delete('/admin/applications/oauth2/:id', SITE_APPLICATION.write, applications.delete);
}
