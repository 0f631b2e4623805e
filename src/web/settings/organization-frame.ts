import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import { sendPage } from '../../http/pages/page.ts';
import type { Organization } from '../../people/organizations/model.ts';
import { accountPath } from '../addresses.ts';
import { icon } from '../parts/icons.ts';
import { besideNav } from '../parts/side-nav.ts';

export const ORGANIZATION_SETTINGS = '/org/:org/settings';

/** Parts of the settings of an organization, below their start. */
const PARTS = [
  ['', 'Profile'],
  ['/members', 'Members'],
  ['/teams', 'Teams'],
  ['/hooks', 'Webhooks'],
  ['/applications', 'Applications'],
] as const;

export type OrganizationSettingsPart = (typeof PARTS)[number][0];

/** Returns the path of a part of the settings of an organization. */
export function organizationSettingsPath(
  { name }: Pick<Organization, 'name'>,
  part: OrganizationSettingsPart = '',
): string {
  return `/org/${encodeURIComponent(name)}/settings${part}`;
}

/** Sends a page of the settings of an organization, beside the links to the others. */
export function sendOrganizationSettings(
  reply: FastifyReply,
  page: {
    readonly organization: Organization;
    readonly title: string;
    readonly part: OrganizationSettingsPart;
    readonly body: Html;
  },
): FastifyReply {
  const { organization, title, part, body } = page;
  const links = PARTS.map(([each, words]) => ({
    path: organizationSettingsPath(organization, each),
    words,
    route: `${ORGANIZATION_SETTINGS}${each}`,
  }));
  const content = html`<div class="stack">
<h1>${title}</h1>
${body}
</div>`;
  return sendPage(reply, {
    title: `${title} · ${organization.name}`,
    hasForm: true,
    body: html`<div class="page-head"><div class="crumbs">${icon('people')} <strong><a href="${accountPath(organization.name)}">${organization.name}</a></strong></div></div>
${besideNav(
  reply,
  {
    label: 'Settings of the organization',
    links,
    current: organizationSettingsPath(organization, part),
  },
  content,
)}`,
  });
}
