import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../organizations/service.ts';
import { OAUTH_APPLICATION, ORGANIZATION_APPLICATION, SITE_APPLICATION } from './actions.ts';
import { ApplicationAnswer, applicationFieldsOf } from './present.ts';
import { ApplicationBody } from './schema.ts';
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

const RENEWS = { renewsSecret: true } as const;
/** The owner of applications that no account owns. */
const SITE = { accountId: null } as const;

function ownRoutes(app: App, { oauthApplications: applications, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });
  const all = '/user/applications/oauth2';
  const one = '/user/applications/oauth2/:id';

  api.list(all, OAUTH_APPLICATION.list, {
    id: 'userGetOAuth2Applications',
    summary: 'List your OAuth2 applications',
    answer: ApplicationAnswer,
    handle: ({ viewer: { accountId }, paging }) => applications.list({ accountId }, paging),
  });

  api.post(all, OAUTH_APPLICATION.write, {
    id: 'userCreateOAuth2Application',
    summary: 'Create an OAuth2 application: only this response shows its secret',
    failures: ['bad_request'],
    body: ApplicationBody,
    status: 201,
    answer: ApplicationAnswer,
    handle: ({ viewer, body }) =>
      applications.create(viewer, { accountId: viewer.accountId }, applicationFieldsOf(body)),
  });

  api.get(one, OAUTH_APPLICATION.list, {
    id: 'userGetOAuth2Application',
    summary: 'Get one of your OAuth2 applications',
    failures: ['not_found'],
    answer: ApplicationAnswer,
    handle: ({ viewer: { accountId }, params }) => applications.get({ accountId }, params.id),
  });

  api.patch(one, OAUTH_APPLICATION.write, {
    id: 'userUpdateOAuth2Application',
    summary: 'Change one of your OAuth2 applications: a confidential client gets a new secret',
    failures: ['bad_request', 'not_found'],
    body: ApplicationBody,
    answer: ApplicationAnswer,
    handle: ({ viewer, params: { id }, body }) =>
      applications.change(viewer, { accountId: viewer.accountId, id }, applicationFieldsOf(body), RENEWS),
  });

  api.delete(one, OAUTH_APPLICATION.write, {
    id: 'userDeleteOAuth2Application',
    summary: 'Delete one of your OAuth2 applications, and end all that was granted to it',
    failures: ['not_found'],
    handle: ({ viewer, params: { id } }) => applications.delete(viewer, { accountId: viewer.accountId, id }),
  });
}

function organizationRoutes(
  app: App,
  { oauthApplications: applications, organizations, addresses }: Dependencies,
): void {
  const api = operationsOn(app, { tag: 'organization', addresses });
  const all = '/orgs/:org/applications/oauth2';
  const one = '/orgs/:org/applications/oauth2/:id';

  api.list(all, ORGANIZATION_APPLICATION.list, {
    id: 'orgListOAuth2Applications',
    summary: 'List the OAuth2 applications of an organization',
    answer: ApplicationAnswer,
    async handle({ viewer, params, paging }) {
      const { organization } = await organizations.get(viewer, params.org, ORGANIZATION_APPLICATION.list);
      return applications.list({ accountId: organization.id }, paging);
    },
  });

  api.post(all, ORGANIZATION_APPLICATION.write, {
    id: 'orgCreateOAuth2Application',
    summary: 'Create an OAuth2 application of an organization: only this response shows its secret',
    failures: ['bad_request'],
    body: ApplicationBody,
    status: 201,
    answer: ApplicationAnswer,
    async handle({ viewer, params, body }) {
      const { organization } = await organizations.get(viewer, params.org, ORGANIZATION_APPLICATION.write);
      return applications.create(viewer, { accountId: organization.id }, applicationFieldsOf(body));
    },
  });

  api.get(one, ORGANIZATION_APPLICATION.list, {
    id: 'orgGetOAuth2Application',
    summary: 'Get an OAuth2 application of an organization',
    answer: ApplicationAnswer,
    async handle({ viewer, params }) {
      const { organization } = await organizations.get(viewer, params.org, ORGANIZATION_APPLICATION.list);
      return applications.get({ accountId: organization.id }, params.id);
    },
  });

  api.patch(one, ORGANIZATION_APPLICATION.write, {
    id: 'orgUpdateOAuth2Application',
    summary: 'Change an OAuth2 application of an organization: a confidential client gets a new secret',
    failures: ['bad_request'],
    body: ApplicationBody,
    answer: ApplicationAnswer,
    async handle({ viewer, params: { org, id }, body }) {
      const { organization } = await organizations.get(viewer, org, ORGANIZATION_APPLICATION.write);
      const owner = { accountId: organization.id, id };
      return applications.change(viewer, owner, applicationFieldsOf(body), RENEWS);
    },
  });

  api.delete(one, ORGANIZATION_APPLICATION.write, {
    id: 'orgDeleteOAuth2Application',
    summary: 'Delete an OAuth2 application of an organization, and end all that was granted to it',
    async handle({ viewer, params: { org, id } }) {
      const { organization } = await organizations.get(viewer, org, ORGANIZATION_APPLICATION.write);
      return applications.delete(viewer, { accountId: organization.id, id });
    },
  });
}

function siteRoutes(app: App, { oauthApplications: applications, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });
  const all = '/admin/applications/oauth2';
  const one = '/admin/applications/oauth2/:id';

  api.list(all, SITE_APPLICATION.list, {
    id: 'adminListOAuth2Applications',
    summary: 'List the OAuth2 applications of the site, with those that every server has',
    answer: ApplicationAnswer,
    handle: ({ paging }) => applications.list(SITE, paging),
  });

  api.post(all, SITE_APPLICATION.write, {
    id: 'adminCreateOAuth2Application',
    summary: 'Create an OAuth2 application of the site: only this response shows its secret',
    failures: ['bad_request'],
    body: ApplicationBody,
    status: 201,
    answer: ApplicationAnswer,
    handle: ({ viewer, body }) => applications.create(viewer, SITE, applicationFieldsOf(body)),
  });

  api.get(one, SITE_APPLICATION.list, {
    id: 'adminGetOAuth2Application',
    summary: 'Get an OAuth2 application of the site',
    failures: ['not_found'],
    answer: ApplicationAnswer,
    handle: ({ params }) => applications.get(SITE, params.id),
  });

  api.patch(one, SITE_APPLICATION.write, {
    id: 'adminUpdateOAuth2Application',
    summary: 'Change an OAuth2 application of the site: a confidential client gets a new secret',
    failures: ['bad_request', 'not_found'],
    body: ApplicationBody,
    answer: ApplicationAnswer,
    handle: ({ viewer, params: { id }, body }) =>
      applications.change(viewer, { ...SITE, id }, applicationFieldsOf(body), RENEWS),
  });

  api.delete(one, SITE_APPLICATION.write, {
    id: 'adminDeleteOAuth2Application',
    summary: 'Delete an OAuth2 application of the site, and end all that was granted to it',
    failures: ['not_found'],
    handle: ({ viewer, params: { id } }) => applications.delete(viewer, { ...SITE, id }),
  });
}
