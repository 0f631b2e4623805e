import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { PagingQuery } from '../../http/paging.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { WEBHOOK } from '../../tracker/webhooks/actions.ts';
import {
  ORGANIZATION_SETTINGS,
  organizationSettingsPath,
  sendOrganizationSettings,
} from './organization-frame.ts';
import { WebhookPages, type WebhookTools } from './webhook-pages.ts';
import type { FindPlace } from './webhook-place.ts';

interface Dependencies extends WebhookTools {
  readonly organizations: Organizations;
}

const PATH = `${ORGANIZATION_SETTINGS}/hooks`;
const InOrganization = { org: Type.String() };
const ofList = { params: Type.Object(InOrganization), querystring: Type.Object(PagingQuery) };
const ofNew = {
  params: Type.Object(InOrganization),
  querystring: Type.Object({ type: Type.Optional(Type.String()) }),
};
const ofHook = { params: Type.Object({ ...InOrganization, id: Type.String() }) };

/** Registers the pages of the webhooks of organizations. */
export function organizationWebhooks(app: App, { organizations, ...tools }: Dependencies): void {
  const find: FindPlace = async (request, reply, access) => {
    const { org } = request.params as { org: string };
    const action = access === 'read' ? WEBHOOK.readOfOrganization : WEBHOOK.changeOfOrganization;
    const { organization } = await organizations.get(request.viewer, org, action);
    return {
      place: { of: 'organization', accountId: organization.id },
      path: organizationSettingsPath(organization, '/hooks'),
      send: (title, body) => sendOrganizationSettings(reply, { organization, title, part: '/hooks', body }),
    };
  };
  const pages = new WebhookPages(tools, find);
  const reading = { action: WEBHOOK.readOfOrganization };
  const writing = { action: WEBHOOK.changeOfOrganization };
  const changing = { action: WEBHOOK.changeOfOrganization, isForm: true } as const;
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
