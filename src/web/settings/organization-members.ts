import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { ORGANIZATION } from '../../people/organizations/actions.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { problemHtml, signedIn } from '../forms/form-parts.ts';
import { pagerHtml } from '../parts/lists.ts';
import { avatarHtml, personHtml } from '../parts/people.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import {
  ORGANIZATION_SETTINGS,
  organizationSettingsPath,
  sendOrganizationSettings,
} from './organization-frame.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const PATH = `${ORGANIZATION_SETTINGS}/members`;
const AVATAR_PX = 24;
const Params = Type.Object({ org: Type.String() });

/** Registers the page on which owners see and remove the members of an organization. */
export function organizationMembers(app: App, dependencies: Dependencies): void {
  const { organizations, addresses } = dependencies;
  app.get(
    PATH,
    {
      config: { action: ORGANIZATION.removeMember },
      schema: { params: Params, querystring: Type.Object(PagingQuery) },
    },
    async (request, reply) => sendMembers(request, reply, dependencies),
  );

  app.post(
    PATH,
    { config: { action: ORGANIZATION.removeMember, isForm: true }, schema: { params: Params } },
    async (request, reply) => {
      const { org } = request.params;
      try {
        await organizations.members.remove(signedIn(request), org, fieldOf(request, 'member'));
        const to = organizationSettingsPath({ name: org }, '/members');
        return reply.redirect(localAddress(to, addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendMembers(request, reply, dependencies, problem);
      }
    },
  );
}

async function sendMembers(
  request: FastifyRequest,
  reply: FastifyReply,
  { organizations, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const { org } = request.params as { org: string };
  const { organization } = await organizations.get(request.viewer, org, ORGANIZATION.removeMember);
  const paging = pagingOf(request.query as { page?: number; limit?: number });
  const { items, total } = await organizations.members.list(request.viewer, org, paging);
  const action = organizationSettingsPath(organization, '/members');
  const rows = items.map(
    (account) =>
      html`<li>${avatarHtml(account, AVATAR_PX, addresses)}<div class="grow">${personHtml(account)} <span class="quiet">${account.fullName}</span></div>${buttonForm(request, reply, { action, fields: { member: account.name }, button: 'Remove', look: 'small danger' }, addresses)}</li>
`,
  );
  return sendOrganizationSettings(reply, {
    organization,
    title: 'Members',
    part: '/members',
    body: html`<p>The members are the users in the teams. <a href="${organizationSettingsPath(organization, '/teams')}">Add a user to a team</a> to make them a member.</p>
${problemHtml(problem)}<ul class="rows box">${rows}</ul>
${pagerHtml(action, { page: paging.page, hasNext: paging.page * paging.limit < total })}`,
  });
}
