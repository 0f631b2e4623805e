import {
  OAUTH_APPLICATION,
  ORGANIZATION_APPLICATION,
  SITE_APPLICATION,
} from '../../../src/people/oauth/actions.ts';
import { OAUTH_GRANT } from '../../../src/people/oauth-grants/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL, type Probe } from '../../api/access/probe.ts';

const OWN = '/api/v1/user/applications/oauth2';
const OF_SITE = '/api/v1/admin/applications/oauth2';
const OF_ORGANIZATION = `${ORGANIZATION_URL}/applications/oauth2`;

type Actions = Readonly<Record<'list' | 'write', Probe['action']>>;

/** The operations on the applications of an owner, and their pages. */
function probesOf(base: string, pages: string, { list, write }: Actions, of: string): readonly Probe[] {
  const one = `${base}/:id`;
  const page = `${pages}/oauth2/:id`;
  const missing = { isOfMissing: true } as const;
  return [
    { label: `applications${of}`, method: 'GET', url: base, action: list },
    { label: `create application${of}`, method: 'POST', url: base, action: write, sent: { json: {} } },
    { label: `application${of}`, method: 'GET', url: one, action: list, ...missing },
    {
      label: `change application${of}`,
      method: 'PATCH',
      url: one,
      action: write,
      sent: { json: {} },
      ...missing,
    },
    { label: `delete application${of}`, method: 'DELETE', url: one, action: write, ...missing },
    { label: `page of applications${of}`, method: 'GET', url: pages, action: list },
    { label: `page of a new application${of}`, method: 'GET', url: `${pages}/new`, action: write },
    { label: `add application on the page${of}`, method: 'POST', url: `${pages}/new`, action: write },
    { label: `page of an application${of}`, method: 'GET', url: page, action: write, ...missing },
    { label: `change application on the page${of}`, method: 'POST', url: page, action: write, ...missing },
  ];
}

export const PROBES: FeatureProbes = {
  open: [
    'GET /login/oauth/authorize',
    'POST /login/oauth/access_token',
    'POST /login/oauth/introspect',
    'POST /login/oauth/revoke',
    'GET /login/oauth/userinfo',
    'POST /login/oauth/userinfo',
    'GET /login/oauth/keys',
    'GET /.well-known/openid-configuration',
    'GET /.well-known/oauth-authorization-server',
  ],
  ownOperations: [
    'userGetOAuth2Applications',
    ...['org', 'admin'].flatMap((of) =>
      ['Get', 'Create', 'Update', 'Delete', 'List'].map(
        (verb) => `${of}${verb}OAuth2Application${verb === 'List' ? 's' : ''}`,
      ),
    ),
  ],
  organization: probesOf(OF_ORGANIZATION, '/org/:org/settings/applications', ORGANIZATION_APPLICATION, ''),
  others: [
    ...probesOf(OWN, '/user/settings/applications', OAUTH_APPLICATION, ''),
    ...probesOf(OF_SITE, '/admin/applications', SITE_APPLICATION, ' of the site'),
    {
      label: 'end grants on the page',
      method: 'POST',
      url: '/user/settings/applications/grants',
      action: OAUTH_GRANT.end,
    },
    { label: 'grant a request', method: 'POST', url: '/login/oauth/authorize', action: OAUTH_GRANT.give },
  ],
};
