import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure, notFound } from '../../base/core/failure.ts';
import { type PageQuery, pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { TEAM } from '../../people/teams/actions.ts';
import type { Team } from '../../people/teams/model.ts';
import { newTeamOf, teamEditOf } from '../../people/teams/options.ts';
import type { Teams } from '../../people/teams/service.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { textField } from '../parts/fields.ts';
import { pagerHtml } from '../parts/lists.ts';
import { avatarHtml, personHtml } from '../parts/people.ts';
import { dangerBox, settingsBox } from '../parts/side-nav.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import {
  ORGANIZATION_SETTINGS,
  organizationSettingsPath,
  sendOrganizationSettings,
} from './organization-frame.ts';
import { sentTeam, teamFields } from './team-form.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly addresses: Addresses;
}

const PATH = `${ORGANIZATION_SETTINGS}/teams`;
const AVATAR_PX = 24;
const OfOrganization = Type.Object({ org: Type.String() });
const OfTeam = Type.Object({ org: Type.String(), id: Type.String() });
const Listed = { querystring: Type.Object(PagingQuery) };

/** Registers the pages of the teams of an organization, for its owners. */
export function organizationTeams(app: App, dependencies: Dependencies): void {
  const { teams, addresses } = dependencies;
  app.get(
    PATH,
    { config: { action: TEAM.create }, schema: { params: OfOrganization, ...Listed } },
    async (request, reply) => sendTeams(request, reply, dependencies),
  );

  app.post(
    PATH,
    { config: { action: TEAM.create, isForm: true }, schema: { params: OfOrganization } },
    async (request, reply) => {
      const { org } = request.params;
      try {
        const sent = sentTeam(request);
        const { team } = await teams.create(signedIn(request), org, { ...newTeamOf(sent), name: sent.name });
        return reply.redirect(localAddress(teamPath(org, team.id), addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendTeams(request, reply, dependencies, problem);
      }
    },
  );
  oneTeam(app, dependencies);
}

function oneTeam(app: App, dependencies: Dependencies): void {
  const { teams, addresses } = dependencies;
  const schema = { params: OfTeam };
  const change = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (team: Team) => Promise<unknown>,
    next?: string,
  ): Promise<FastifyReply> => {
    const { team, org } = await teamOf(request, dependencies);
    try {
      await work(team);
      return reply.redirect(localAddress(next ?? teamPath(org, team.id), addresses), 303);
    } catch (error) {
      const isMissing = isFailure(error, 'not_found');
      const problem = isMissing ? 'There is no user with this name.' : fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      if (isMissing) reply.code(422);
      return sendTeam(request, reply, dependencies, problem);
    }
  };

  app.get(
    `${PATH}/:id`,
    { config: { action: TEAM.edit }, schema: { ...schema, ...Listed } },
    async (request, reply) => sendTeam(request, reply, dependencies),
  );
  app.post(`${PATH}/:id`, { config: { action: TEAM.edit, isForm: true }, schema }, (request, reply) =>
    change(request, reply, (team) =>
      teams.edit(signedIn(request), team.id, teamEditOf(sentTeam(request, team))),
    ),
  );
  app.post(
    `${PATH}/:id/members`,
    { config: { action: TEAM.changeMembers, isForm: true }, schema },
    (request, reply) =>
      change(request, reply, ({ id }) => {
        const name = fieldOf(request, 'member').trim();
        const isRemoved = fieldOf(request, 'change') === 'remove';
        return teams.members[isRemoved ? 'remove' : 'add'](signedIn(request), id, name);
      }),
  );
  app.post(
    `${PATH}/:id/delete`,
    { config: { action: TEAM.delete, isForm: true }, schema },
    (request, reply) =>
      change(
        request,
        reply,
        ({ id }) => teams.delete(signedIn(request), id),
        organizationSettingsPath({ name: request.params.org }, '/teams'),
      ),
  );
}

function teamPath(org: string, id: number): string {
  return `${organizationSettingsPath({ name: org }, '/teams')}/${id}`;
}

/** @throws ForgeError `not_found`, also for a team of another organization */
async function teamOf(request: FastifyRequest, { teams }: Dependencies) {
  const { org, id } = request.params as { org: string; id: string };
  const found = await teams.get(request.viewer, parseId(id) ?? 0, TEAM.edit);
  if (found.organization.name.toLowerCase() !== org.toLowerCase()) throw notFound('team');
  return { team: found.team, org: found.organization.name };
}

async function sendTeams(
  request: FastifyRequest,
  reply: FastifyReply,
  { organizations, teams, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const { org } = request.params as { org: string };
  const { organization } = await organizations.get(request.viewer, org, TEAM.create);
  const paging = pagingOf(request.query as PageQuery);
  const action = organizationSettingsPath(organization, '/teams');
  const list = await teams.search(request.viewer, org, { words: '', inDescription: false }, paging);
  const rows = list.items.map(
    ({ id, name, description, level }) =>
      html`<li><div class="grow"><a href="${action}/${id}"><strong>${name}</strong></a>${description === '' ? html`` : html`<p>${description}</p>`}</div><span class="badge">${level}</span></li>
`,
  );
  const form = formHtml(
    request,
    reply,
    { action, fields: teamFields(request, undefined), button: 'Create the team' },
    addresses,
  );
  return sendOrganizationSettings(reply, {
    organization,
    title: 'Teams',
    part: '/teams',
    body: html`<ul class="rows box">${rows}</ul>
${pagerHtml(action, { page: paging.page, hasNext: paging.page * paging.limit < list.total })}${settingsBox('New team', html`${problemHtml(problem)}${form}`)}`,
  });
}

async function sendTeam(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const { organizations, teams, addresses } = dependencies;
  const { team, org } = await teamOf(request, dependencies);
  const { organization } = await organizations.get(request.viewer, org, TEAM.create);
  const paging = pagingOf(request.query as PageQuery);
  const members = await teams.members.list(request.viewer, team.id, paging);
  const action = teamPath(org, team.id);
  const rows = members.items.map(
    (account) =>
      html`<li>${avatarHtml(account, AVATAR_PX, addresses)}<div class="grow">${personHtml(account)}</div>${buttonForm(request, reply, { action: `${action}/members`, fields: { change: 'remove', member: account.name }, button: 'Remove', look: 'small danger' }, addresses)}</li>
`,
  );
  const add = formHtml(
    request,
    reply,
    {
      action: `${action}/members`,
      fields: textField({ name: 'member', label: 'Name of the user', isRequired: true }),
      button: 'Add the member',
      isSecond: true,
    },
    addresses,
  );
  const isOwners = team.level === 'owner';
  const rights = isOwners
    ? html`<p>The owners may do everything.</p>`
    : formHtml(request, reply, { action, fields: teamFields(request, team), button: 'Save' }, addresses);
  const deletion = isOwners
    ? html``
    : dangerBox(
        'Delete',
        buttonForm(
          request,
          reply,
          { action: `${action}/delete`, button: 'Delete the team', look: 'danger' },
          addresses,
        ),
      );
  return sendOrganizationSettings(reply, {
    organization,
    title: `Team ${team.name}`,
    part: '/teams',
    body: html`${problemHtml(problem)}${settingsBox('Members', html`<ul class="rows box">${rows}</ul>${pagerHtml(action, { page: paging.page, hasNext: paging.page * paging.limit < members.total })}${add}`)}${settingsBox('What the team may do', rights)}${deletion}`,
  });
}
