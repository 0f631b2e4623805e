import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { ORGANIZATION } from '../../people/organizations/actions.ts';
import type { Organization } from '../../people/organizations/model.ts';
import { newOrganizationOf, organizationEditOf } from '../../people/organizations/options.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { accountPath } from '../addresses.ts';
import { formHtml, problemHtml, sendFormPage, signedIn } from '../forms/form-parts.ts';
import { checkbox, selectField, textArea, textField } from '../parts/fields.ts';
import { dangerBox, settingsBox } from '../parts/side-nav.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import {
  organizationSettingsPath,
  ORGANIZATION_SETTINGS as PATH,
  sendOrganizationSettings,
} from './organization-frame.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const NEW_PATH = '/org/create';
const schema = { params: Type.Object({ org: Type.String() }) };
const VISIBILITIES = [
  ['public', 'Everyone'],
  ['limited', 'Users who are signed in'],
  ['private', 'Members'],
] as const;

/** Registers the pages that create an organization, and that change its profile. */
export function organizationPages(app: App, dependencies: Dependencies): void {
  const { organizations, addresses } = dependencies;
  newPage(app, dependencies);

  app.get(PATH, { config: { action: ORGANIZATION.edit }, schema }, async (request, reply) =>
    sendProfile(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: ORGANIZATION.edit, isForm: true }, schema }, async (request, reply) =>
    withProblem(request, reply, dependencies, async (name) => {
      const viewer = signedIn(request);
      if (fieldOf(request, 'change') === 'rename') {
        const to = fieldOf(request, 'new_name').trim();
        await organizations.rename(viewer, name, to);
        return organizationSettingsPath({ name: to });
      }
      return organizationSettingsPath(await organizations.edit(viewer, name, editOf(request)));
    }),
  );

  app.post(
    `${PATH}/delete`,
    { config: { action: ORGANIZATION.delete, isForm: true }, schema },
    async (request, reply) =>
      withProblem(request, reply, dependencies, async (name) => {
        await organizations.get(signedIn(request), name, ORGANIZATION.delete);
        if (fieldOf(request, 'confirm').trim().toLowerCase() !== name.toLowerCase())
          throw invalid('type the name of the organization to confirm');
        await organizations.delete(signedIn(request), name);
        return '/';
      }),
  );

  // Where a browser is after its user has proved who they are.
  app.get(`${PATH}/delete`, { config: { action: ORGANIZATION.edit }, schema }, async (request, reply) => {
    const { organization } = await organizations.get(request.viewer, request.params.org, ORGANIZATION.edit);
    return reply.redirect(localAddress(organizationSettingsPath(organization), addresses), 303);
  });
}

function newPage(app: App, { organizations, addresses }: Dependencies): void {
  const send = (request: FastifyRequest, reply: FastifyReply, problem?: string) =>
    sendFormPage(
      request,
      reply,
      {
        title: 'New organization',
        problem,
        before: html`<p class="quiet">An organization owns repositories that several people share. Its teams say who may do what.</p>`,
        action: NEW_PATH,
        fields: html`${textField({ name: 'username', label: 'Name', value: fieldOf(request, 'username'), isRequired: true, hasFocus: true, charsMax: ACCOUNT_LIMITS.nameCharsMax })}${textField({ name: 'full_name', label: 'Full name', value: fieldOf(request, 'full_name') })}${textArea({ name: 'description', label: 'Description', value: fieldOf(request, 'description') })}${selectField({ name: 'visibility', label: 'Visible to', value: fieldOf(request, 'visibility'), options: VISIBILITIES })}`,
        button: 'Create the organization',
      },
      addresses,
    );

  app.get(NEW_PATH, { config: { action: ORGANIZATION.create } }, async (request, reply) =>
    send(request, reply),
  );

  app.post(NEW_PATH, { config: { action: ORGANIZATION.create, isForm: true } }, async (request, reply) => {
    try {
      const { name } = await organizations.create(
        signedIn(request),
        newOrganizationOf({
          username: fieldOf(request, 'username').trim(),
          full_name: fieldOf(request, 'full_name').trim(),
          description: fieldOf(request, 'description').trim(),
          visibility: fieldOf(request, 'visibility'),
        }),
      );
      return reply.redirect(localAddress(accountPath(name), addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return send(request, reply, problem);
    }
  });
}

function editOf(request: FastifyRequest) {
  const text = (name: string) => fieldOf(request, name).trim();
  return organizationEditOf({
    full_name: text('full_name'),
    email: text('email'),
    description: text('description'),
    website: text('website'),
    location: text('location'),
    visibility: text('visibility'),
    repo_admin_change_team_access: isChecked(request, 'repo_admin_change_team_access'),
    team_admin_delete_repos: isChecked(request, 'team_admin_delete_repos'),
    require_second_factor: isChecked(request, 'require_second_factor'),
  });
}

async function withProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  work: (name: string) => Promise<string>,
): Promise<FastifyReply> {
  try {
    const next = await work((request.params as { org: string }).org);
    return reply.redirect(localAddress(next, dependencies.addresses), 303);
  } catch (error) {
    const problem = fieldProblemOf(error, reply);
    if (problem === undefined) throw error;
    return sendProfile(request, reply, dependencies, problem);
  }
}

async function sendProfile(
  request: FastifyRequest,
  reply: FastifyReply,
  { organizations, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const { org } = request.params as { org: string };
  const { organization } = await organizations.get(request.viewer, org, ORGANIZATION.edit);
  const action = organizationSettingsPath(organization);
  const form = (to: string, fields: Html, button: string, isSecond = true) =>
    formHtml(request, reply, { action: to, fields, button, isSecond }, addresses);
  const rename = form(
    action,
    html`<input type="hidden" name="change" value="rename">
${textField({ name: 'new_name', label: 'New name', value: organization.name, isRequired: true, charsMax: ACCOUNT_LIMITS.nameCharsMax, hint: 'Addresses with the former name lead to the new one.' })}`,
    'Rename',
  );
  const deletion = form(
    `${action}/delete`,
    textField({ name: 'confirm', label: `Type "${organization.name}" to confirm`, isRequired: true }),
    'Delete the organization',
  );
  return sendOrganizationSettings(reply, {
    organization,
    title: 'Profile',
    part: '',
    body: html`${problemHtml(problem)}${settingsBox('Profile', form(action, fieldsOf(organization), 'Save', false))}${settingsBox('Name', rename)}${dangerBox('Delete', html`<p>First delete or transfer its repositories. Nothing brings the organization back.</p>${deletion}`)}`,
  });
}

function fieldsOf(organization: Organization): Html {
  const charsMax = ACCOUNT_LIMITS.profileFieldCharsMax;
  const { fullName, email, description, website, location, visibility } = organization;
  return html`${textField({ name: 'full_name', label: 'Full name', value: fullName, charsMax })}${textField({ name: 'email', label: 'E-mail address', type: 'email', value: email })}${textArea({ name: 'description', label: 'Description', value: description, charsMax })}${textField({ name: 'website', label: 'Website', type: 'url', value: website, charsMax })}${textField({ name: 'location', label: 'Location', value: location, charsMax })}${selectField({ name: 'visibility', label: 'Visible to', value: visibility, options: VISIBILITIES })}${checkbox({ name: 'repo_admin_change_team_access', label: 'Administrators of a repository may add it to teams', isChecked: organization.repositoryAdminsChangeTeams })}${checkbox({ name: 'team_admin_delete_repos', label: 'Teams that administrate a repository may delete it', isChecked: organization.teamAdminsDelete })}${checkbox({ name: 'require_second_factor', label: 'All members need a second factor', isChecked: organization.requiresSecondFactor })}`;
}
