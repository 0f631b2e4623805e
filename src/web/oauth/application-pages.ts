import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '../../api/access/actions.ts';
import type { SignedIn } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { OAUTH_APPLICATION, ORGANIZATION_APPLICATION, SITE_APPLICATION } from '../../people/oauth/actions.ts';
import { OAUTH_LIMITS } from '../../people/oauth/limits.ts';
import type { ApplicationFields, CreatedApplication, OAuthApplication } from '../../people/oauth/model.ts';
import type { ApplicationOwner, OAuthApplications } from '../../people/oauth/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { formHtml, problemHtml, sendFormPage, sendFormsPage, signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { sendOwnSettings } from '../sign-in/own-settings.ts';

interface Dependencies {
  readonly oauthApplications: OAuthApplications;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

/** The applications of one kind of owner. */
interface Section {
  /** of the list, with parameters */
  readonly path: string;
  readonly of: 'user' | 'organization' | 'site';
  readonly title: string;
  readonly ownerOf: (viewer: SignedIn, org: string, access: 'list' | 'write') => Promise<ApplicationOwner>;
  /** after the list of applications */
  readonly more: (request: FastifyRequest, reply: FastifyReply, viewer: SignedIn) => Promise<Html>;
}

/** Where a user finds their applications. */
export const OWN_APPLICATIONS_PATH = '/user/settings/applications';

/**
 * Registers the pages of the applications of users, organizations and the site.
 *
 * @param more what the page of a user has besides
 */
export function applicationPages(app: App, dependencies: Dependencies, more: Section['more']): void {
  const { organizations } = dependencies;
  const nothing = async () => html``;
  const sections: readonly Section[] = [
    {
      path: OWN_APPLICATIONS_PATH,
      of: 'user',
      title: 'Your applications',
      ownerOf: async ({ accountId }) => ({ accountId }),
      more,
    },
    {
      path: '/org/:org/settings/applications',
      of: 'organization',
      title: 'Applications of the organization',
      async ownerOf(viewer, org, access) {
        const found = await organizations.get(viewer, org, ORGANIZATION_APPLICATION[access]);
        return { accountId: found.organization.id };
      },
      more: nothing,
    },
    {
      path: '/admin/applications',
      of: 'site',
      title: 'Applications of the site',
      ownerOf: async () => ({ accountId: null }),
      more: nothing,
    },
  ];
  for (const section of sections) sectionPages(app, section, dependencies);
}

/** How the routes of a section are registered. */
interface Configs {
  readonly writing: { readonly action: Action };
  readonly changing: { readonly action: Action; readonly isForm: true };
}

function sectionPages(app: App, section: Section, dependencies: Dependencies): void {
  const isOfUser = section.of === 'user';
  const isOfSite = section.of === 'site';
  const listing = {
    action: isOfUser
      ? OAUTH_APPLICATION.list
      : isOfSite
        ? SITE_APPLICATION.list
        : ORGANIZATION_APPLICATION.list,
  };
  const writing = {
    action: isOfUser
      ? OAUTH_APPLICATION.write
      : isOfSite
        ? SITE_APPLICATION.write
        : ORGANIZATION_APPLICATION.write,
  };
  const changing = {
    action: isOfUser
      ? OAUTH_APPLICATION.write
      : isOfSite
        ? SITE_APPLICATION.write
        : ORGANIZATION_APPLICATION.write,
    isForm: true,
  } as const;
  app.get(section.path, { config: listing }, (request, reply) =>
    sendList(request, reply, section, dependencies),
  );
  newPage(app, section, { writing, changing }, dependencies);
  applicationPage(app, section, { writing, changing }, dependencies);
}

interface PathParameters {
  readonly org?: string;
  readonly id?: string;
}

function parametersOf({ params }: FastifyRequest): PathParameters {
  return params as PathParameters;
}

/** Returns the path of the list for a request. */
function pathOf({ path }: Section, request: FastifyRequest): string {
  return path.replace(':org', encodeURIComponent(parametersOf(request).org ?? ''));
}

async function callerOf(
  { ownerOf }: Section,
  request: FastifyRequest,
  access: 'list' | 'write',
): Promise<{ readonly viewer: SignedIn; readonly owner: ApplicationOwner }> {
  const viewer = signedIn(request);
  return { viewer, owner: await ownerOf(viewer, parametersOf(request).org ?? '', access) };
}

async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  section: Section,
  { oauthApplications, addresses }: Dependencies,
): Promise<FastifyReply> {
  const { viewer, owner } = await callerOf(section, request, 'list');
  const paging = pagingOf({ limit: OAUTH_LIMITS.applicationsPerOwnerMax });
  const { items } = await oauthApplications.list(owner, paging);
  const base = `${addresses.baseUrl}${pathOf(section, request)}`;
  const rows = items.map(
    (each) => html`<li><div class="grow">${nameOf(each, base)}
<div class="quiet small">${each.clientId}</div></div></li>
`,
  );
  const body = html`<p>An application signs users in with OAuth2 or OpenID Connect, or acts for them.</p>
${
  rows.length === 0
    ? html``
    : html`<ul class="rows box">
${rows}</ul>
`
}<p><a class="button" href="${base}/new">Add an application</a></p>
${await section.more(request, reply, viewer)}`;
  const { title } = section;
  return section.of === 'user'
    ? sendOwnSettings(reply, { title, body, current: OWN_APPLICATIONS_PATH })
    : sendFormsPage(reply, { title, body });
}

function nameOf({ id, name, isBuiltIn }: OAuthApplication, base: string): Html {
  return isBuiltIn ? html`${name} (part of this server)` : html`<a href="${base}/oauth2/${id}">${name}</a>`;
}

function newPage(
  app: App,
  section: Section,
  { writing, changing }: Configs,
  { oauthApplications, addresses }: Dependencies,
): void {
  const url = `${section.path}/new`;
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    fields: ApplicationFields,
    problem?: string,
  ): FastifyReply =>
    sendFormPage(
      request,
      reply,
      {
        title: 'Add an application',
        problem,
        action: `${pathOf(section, request)}/new`,
        fields: fieldsHtml(fields),
        button: 'Add',
      },
      addresses,
    );

  app.get(url, { config: writing }, async (request, reply) => {
    await callerOf(section, request, 'write');
    return send(request, reply, { isConfidential: true });
  });

  app.post(url, { config: changing }, async (request, reply) => {
    const { viewer, owner } = await callerOf(section, request, 'write');
    const fields = sentFields(request);
    try {
      const created = await oauthApplications.create(viewer, owner, fields);
      return sendCreated(reply, created, `${addresses.baseUrl}${pathOf(section, request)}`);
    } catch (error) {
      return send(request, reply, fields, problemOfFields(error, reply));
    }
  });
}

function applicationPage(
  app: App,
  section: Section,
  { writing, changing }: Configs,
  { oauthApplications, addresses }: Dependencies,
): void {
  const url = `${section.path}/oauth2/:id`;
  const idOf = (request: FastifyRequest): number => {
    const id = parseId(parametersOf(request).id ?? '');
    if (id === undefined) throw notFound('application');
    return id;
  };
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    { application, problem }: { readonly application: OAuthApplication; readonly problem?: string },
  ) => {
    const action = `${pathOf(section, request)}/oauth2/${application.id}`;
    const form = (change: string, button: string, fields = html``) =>
      formHtml(
        request,
        reply,
        {
          action,
          fields: html`<input type="hidden" name="change" value="${change}">
${fields}`,
          button,
          isSecond: change !== 'save',
        },
        addresses,
      );
    return sendFormsPage(reply, {
      title: application.name,
      body: html`<p>Client id: <code>${application.clientId}</code></p>
${problemHtml(problem)}
${form('save', 'Save', fieldsHtml(application))}
<h2>Secret</h2>
${
  application.isConfidential
    ? html`<p>A new secret ends the present one at once.</p>
${form('new-secret', 'Make a new secret')}`
    : html`<p>A public client has no secret.</p>`
}
<h2>Delete</h2>
<p>This ends all that users have granted to the application.</p>
${form('delete', 'Delete the application')}`,
    });
  };

  app.get(url, { config: writing }, async (request, reply) => {
    const { owner } = await callerOf(section, request, 'write');
    const application = await oauthApplications.get(owner, idOf(request));
    if (application.isBuiltIn) throw notFound('application');
    return send(request, reply, { application });
  });

  app.post(url, { config: changing }, async (request, reply) => {
    const { viewer, owner } = await callerOf(section, request, 'write');
    const one = { ...owner, id: idOf(request) };
    const back = pathOf(section, request);
    const change = fieldOf(request, 'change');
    if (change === 'delete') {
      await oauthApplications.delete(viewer, one);
      return reply.redirect(localAddress(back, addresses), 303);
    }
    const isSaved = change === 'save';
    const fields = isSaved ? sentFields(request) : {};
    try {
      const changed = await oauthApplications.change(viewer, one, fields, { renewsSecret: !isSaved });
      if (changed.secret !== '') return sendCreated(reply, changed, `${addresses.baseUrl}${back}`);
      return reply.redirect(localAddress(back, addresses), 303);
    } catch (error) {
      const problem = problemOfFields(error, reply);
      return send(request, reply, {
        application: { ...(await oauthApplications.get(owner, one.id)), ...sentTexts(fields) },
        problem,
      });
    }
  });
}

/** Returns the texts that were sent, so that the page shows them again. */
function sentTexts({ name, redirectUris }: ApplicationFields): Partial<OAuthApplication> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(redirectUris === undefined ? {} : { redirectUris }),
  };
}

function fieldsHtml({ name = '', redirectUris = [], isConfidential, skipsConsent }: ApplicationFields): Html {
  const checked = (is: boolean | undefined) => (is === true ? html` checked` : html``);
  return html`<label>Name <input name="name" value="${name}" maxlength="${OAUTH_LIMITS.applicationNameCharsMax}" autocomplete="off" required></label>
<label>Redirect addresses, one on each line <textarea name="redirect_uris" rows="4" autocomplete="off" spellcheck="false" required>
${redirectUris.join('\n')}</textarea></label>
<label class="choice"><input type="checkbox" name="confidential_client" value="on"${checked(isConfidential)}> It runs on a server and can keep a secret</label>
<label class="choice"><input type="checkbox" name="skip_secondary_authorization" value="on"${checked(skipsConsent)}> Ask a user only the first time, even if it has no secret</label>`;
}

function sentFields(request: FastifyRequest): ApplicationFields {
  return {
    name: fieldOf(request, 'name'),
    redirectUris: fieldOf(request, 'redirect_uris')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    isConfidential: isChecked(request, 'confidential_client'),
    skipsConsent: isChecked(request, 'skip_secondary_authorization'),
  };
}

/** Shows the secret of an application, which no later page does. */
function sendCreated(reply: FastifyReply, application: CreatedApplication, back: string): FastifyReply {
  const secret =
    application.secret === ''
      ? html`<p>It has no secret: it must use PKCE.</p>`
      : html`<p>Client secret: <code>${application.secret}</code></p>
<p><strong>Copy the secret now.</strong> The server does not store it, so no other page can show it.</p>`;
  return sendFormsPage(reply, {
    title: application.name,
    isSecret: true,
    body: html`<p>Client id: <code>${application.clientId}</code></p>
${secret}
<p><a href="${back}">Back to the applications</a></p>`,
  });
}

/** Returns why a form cannot be used, and sets the status of the response. */
function problemOfFields(error: unknown, reply: FastifyReply): string {
  const problem = problemOf(error, reply);
  if (problem === undefined) throw error;
  return problem.replace(/^\[Name\]:/, 'The name:').replace(/^\[\w+\]: a/, 'A');
}
