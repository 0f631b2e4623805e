import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { COLLABORATOR } from '../../hosting/repositories/actions.ts';
import { collaborationLevelOf } from '../../hosting/repositories/creation/options.ts';
import type { Collaborator, PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { REPOSITORY_TEAMS } from '../../hosting/team-repositories/actions.ts';
import type { TeamRepositories } from '../../hosting/team-repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { selectField, textField } from '../parts/fields.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { avatarHtml, personHtml } from '../parts/people.ts';
import { selectHtml } from '../parts/search-form.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { buttonForm, tokenField } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendRepositorySettings, settingsPath } from './repository-frame.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly teamRepositories: TeamRepositories;
  readonly addresses: Addresses;
}

const PATH = '/:owner/:repo/settings/collaboration';
const TEAMS_PATH = `${PATH}/teams`;
const AVATAR_PX = 24;
const LEVELS = [
  ['read', 'Read'],
  ['write', 'Write'],
  ['admin', 'Administrate'],
] as const;
const Params = Type.Object({ owner: Type.String(), repo: Type.String() });

/** Registers the page that says who has access to a repository. */
export function collaborationPage(app: App, dependencies: Dependencies): void {
  const { repositories, teamRepositories } = dependencies;
  const { collaborators } = repositories;
  app.get(
    PATH,
    {
      config: { action: COLLABORATOR.change },
      schema: { params: Params, querystring: Type.Object(PagingQuery) },
    },
    async (request, reply) => sendPeople(request, reply, dependencies),
  );

  app.post(
    PATH,
    { config: { action: COLLABORATOR.change, isForm: true }, schema: { params: Params } },
    async (request, reply) =>
      changeWith(request, reply, dependencies, async (path) => {
        const viewer = signedIn(request);
        const name = fieldOf(request, 'collaborator').trim();
        if (fieldOf(request, 'change') === 'remove') return collaborators.remove(viewer, path, name);
        const level = collaborationLevelOf(fieldOf(request, 'permission'));
        await collaborators.set(viewer, path, name, level);
      }),
  );

  app.post(
    TEAMS_PATH,
    { config: { action: REPOSITORY_TEAMS.changeTeams, isForm: true }, schema: { params: Params } },
    async (request, reply) =>
      changeWith(request, reply, dependencies, async (path) => {
        const viewer = signedIn(request);
        const team = fieldOf(request, 'team').trim();
        if (fieldOf(request, 'change') === 'remove') return teamRepositories.removeTeam(viewer, path, team);
        await teamRepositories.addTeam(viewer, path, team);
      }),
  );
}

function pathOf({ params }: FastifyRequest) {
  const { owner, repo: name } = params as { owner: string; repo: string };
  return { owner, name };
}

async function changeWith(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  work: (path: ReturnType<typeof pathOf>) => Promise<void>,
): Promise<FastifyReply> {
  const { repositories, addresses } = dependencies;
  // A repository that the viewer may not change is missing; an unknown name is a mistake in the form.
  const { repository } = await repositories.get(request.viewer, pathOf(request), COLLABORATOR.change);
  try {
    await work(pathOf(request));
    return reply.redirect(localAddress(settingsPath(repository, '/collaboration'), addresses), 303);
  } catch (error) {
    const isMissing = isFailure(error, 'not_found');
    const problem = isMissing ? 'There is no one with this name.' : fieldProblemOf(error, reply);
    if (problem === undefined) throw error;
    if (isMissing) reply.code(422);
    return sendPeople(request, reply, dependencies, problem);
  }
}

async function sendPeople(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const { repositories, addresses } = dependencies;
  const { viewer } = request;
  const path = pathOf(request);
  const permitted = await repositories.get(viewer, path, COLLABORATOR.change);
  const action = settingsPath(permitted.repository, '/collaboration');
  const paging = pagingOf(request.query as { page?: number; limit?: number });
  const list = await repositories.collaborators.list(viewer, path, paging);
  const removal = (collaborator: string) =>
    buttonForm(
      request,
      reply,
      { action, fields: { change: 'remove', collaborator }, button: 'Remove', look: 'small danger' },
      addresses,
    );
  const token = tokenField(request, reply, addresses);
  const changing = (collaborator: string, level: string) =>
    html`<form class="row" method="post" action="${action}">${token}<input type="hidden" name="collaborator" value="${collaborator}"><label><span class="sr-only">What ${collaborator} may do</span>${selectHtml('permission', level, LEVELS)}</label><button class="small">Change</button></form>`;
  const rows = list.items.map(
    ({ account, level }: Collaborator) =>
      html`<li>${avatarHtml(account, AVATAR_PX, addresses)}<div class="grow">${personHtml(account)}</div>${changing(account.name, level)}${removal(account.name)}</li>
`,
  );
  const add = formHtml(
    request,
    reply,
    {
      action,
      fields: html`${textField({ name: 'collaborator', label: 'Name of the user', value: fieldOf(request, 'collaborator'), isRequired: true })}${selectField({ name: 'permission', label: 'May', value: 'write', options: LEVELS })}`,
      button: 'Add the collaborator',
      isSecond: true,
    },
    addresses,
  );
  const none = emptyHtml('No collaborator', 'The owner always has access.');
  const teams = await teamsBox(request, reply, permitted, dependencies);
  const hasNext = paging.page * paging.limit < list.total;
  return sendRepositorySettings(reply, {
    permitted,
    title: 'Collaborators and teams',
    part: '/collaboration',
    body: html`${problemHtml(problem)}${settingsBox('Collaborators', html`${rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`}${pagerHtml(action, { page: paging.page, hasNext })}${add}`)}${teams}`,
  });
}

async function teamsBox(
  request: FastifyRequest,
  reply: FastifyReply,
  { repository }: PermittedRepository,
  { teamRepositories, addresses }: Dependencies,
): Promise<Html> {
  if (repository.owner.kind !== 'organization') return html``;
  const paging = { page: 1, limit: WEB_LIMITS.repositoryTeamsMax };
  const { items } = await teamRepositories.listTeams(request.viewer, pathOf(request), paging);
  const action = `${settingsPath(repository, '/collaboration')}/teams`;
  const rows = items.map(
    ({ name, level, includesAllRepositories }) =>
      html`<li><div class="grow"><strong>${name}</strong> <span class="badge">${level}</span></div>${
        includesAllRepositories || level === 'owner'
          ? html`<span class="quiet small">has all repositories</span>`
          : buttonForm(
              request,
              reply,
              { action, fields: { change: 'remove', team: name }, button: 'Remove', look: 'small danger' },
              addresses,
            )
      }</li>
`,
  );
  const add = formHtml(
    request,
    reply,
    {
      action,
      fields: textField({ name: 'team', label: 'Name of the team', isRequired: true }),
      button: 'Add the team',
      isSecond: true,
    },
    addresses,
  );
  return settingsBox('Teams', html`<ul class="rows box">${rows}</ul>${add}`);
}
