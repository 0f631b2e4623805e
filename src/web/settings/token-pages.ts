import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isGrantedScope, SCOPE_CATEGORIES } from '../../api/access/scopes.ts';
import { undefinedIf } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { TOKEN } from '../../people/tokens/actions.ts';
import { TOKEN_LIMITS } from '../../people/tokens/limits.ts';
import type { CreatedToken, Token } from '../../people/tokens/model.ts';
import { newTokenOf } from '../../people/tokens/options.ts';
import type { Tokens } from '../../people/tokens/service.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { textArea, textField } from '../parts/fields.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { selectHtml } from '../parts/search-form.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { agoHtml, dayHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendOwnSettings } from '../sign-in/own-settings.ts';

interface Dependencies {
  readonly tokens: Tokens;
  readonly addresses: Addresses;
}

const PATH = '/user/settings/tokens';
const NEW_PATH = `${PATH}/new`;

/** Registers the pages on which users create and delete access tokens. */
export function tokenPages(app: App, dependencies: Dependencies): void {
  const { tokens, addresses } = dependencies;
  const querystring = Type.Object(PagingQuery);
  app.get(PATH, { config: { action: TOKEN.list }, schema: { querystring } }, async (request, reply) =>
    sendList(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: TOKEN.delete, isForm: true } }, async (request, reply) => {
    const viewer = signedIn(request);
    await tokens.delete(viewer, viewer.name, fieldOf(request, 'id')).catch(undefinedIf('not_found'));
    return reply.redirect(localAddress(PATH, addresses), 303);
  });

  app.get(NEW_PATH, { config: { action: TOKEN.create } }, async (request, reply) =>
    sendForm(request, reply, dependencies),
  );

  app.post(NEW_PATH, { config: { action: TOKEN.create, isForm: true } }, async (request, reply) => {
    const viewer = signedIn(request);
    try {
      const created = await tokens.create(viewer, viewer.name, newTokenOf(sentToken(request)));
      return sendCreated(reply, created);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendForm(request, reply, dependencies, problem);
    }
  });
}

const END_OF_DAY = 'T23:59:59Z';

function sentToken(request: FastifyRequest): Parameters<typeof newTokenOf>[0] {
  const chosen = SCOPE_CATEGORIES.map((category) => fieldOf(request, `scope-${category}`));
  const scopes = fieldOf(request, 'all') === '' ? chosen : ['all'];
  const limits = ['public-only', 'notes-only'].filter((limit) => fieldOf(request, limit) !== '');
  const repositories = fieldOf(request, 'repositories')
    .split(/[\s,]+/)
    .filter((each) => each !== '');
  const day = fieldOf(request, 'expires');
  return {
    name: fieldOf(request, 'name').trim(),
    scopes: [...scopes, ...limits].filter((scope) => scope !== ''),
    ...(repositories.length === 0 ? {} : { repositories }),
    expires_at: day === '' ? null : `${day}${END_OF_DAY}`,
  };
}

async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, addresses }: Dependencies,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const paging = pagingOf(request.query as { page?: number; limit?: number });
  const list = await tokens.list(viewer, viewer.name, paging);
  const deletion = ({ id }: Token) =>
    buttonForm(
      request,
      reply,
      { action: PATH, fields: { id }, button: 'Delete', look: 'small danger' },
      addresses,
    );
  const rows = list.items.map((token) => rowOf(token, deletion(token)));
  const none = emptyHtml('You have no access token', 'git and programs that use the API need one.');
  return sendOwnSettings(reply, {
    title: 'Access tokens',
    current: PATH,
    body: html`<p class="row"><span>A token is a password for git and for programs, which may do only what you allow.</span><a class="button primary end" href="${NEW_PATH}">New token</a></p>
${rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`}
${pagerHtml(PATH, { page: paging.page, hasNext: paging.page * paging.limit < list.total })}`,
  });
}

function rowOf(token: Token, deletion: Html): Html {
  const { name, lastEight, scopes, repositories, createdAt, expiresAt, lastUsedAt } = token;
  const used = lastUsedAt === null ? html`never used` : html`last used ${agoHtml(lastUsedAt)}`;
  const end = expiresAt === null ? html`` : html`, expires ${dayHtml(expiresAt)}`;
  const only =
    repositories === null
      ? html``
      : html`<p class="small">only ${repositories.map(({ owner, name: each }) => `${owner}/${each}`).join(', ')}</p>`;
  return html`<li><div class="grow"><strong>${name}</strong> <code class="quiet">…${lastEight}</code>
<p class="small">${scopes.length === 0 ? 'no scope' : scopes.join(', ')}</p>${only}
<p class="quiet small">created ${dayHtml(createdAt)}, ${used}${end}</p></div>${deletion}</li>
`;
}

const WORDS: Readonly<Record<(typeof SCOPE_CATEGORIES)[number], string>> = {
  activitypub: 'Exchange with other servers',
  admin: 'Administration',
  issue: 'Issues, comments, labels and milestones',
  misc: 'Settings and templates of the server',
  notification: 'Notifications',
  organization: 'Organizations and teams',
  package: 'Packages',
  repository: 'Repositories, also over git',
  user: 'Your account',
};

/** The server does nothing that the others are for. */
const OFFERED = SCOPE_CATEGORIES.filter((category) => category !== 'activitypub' && category !== 'package');

function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { addresses }: Dependencies,
  problem?: string,
): FastifyReply {
  const form = formHtml(
    request,
    reply,
    { action: NEW_PATH, fields: fieldsHtml(request), button: 'Create the token' },
    addresses,
  );
  return sendOwnSettings(reply, {
    title: 'New access token',
    current: PATH,
    body: html`${problemHtml(problem)}${form}`,
  });
}

function fieldsHtml(request: FastifyRequest): Html {
  const isNew = request.method === 'GET';
  const scopes = OFFERED.map((category) => {
    const sent = fieldOf(request, `scope-${category}`);
    const value = isGrantedScope(sent) ? sent : isNew && category === 'repository' ? 'write:repository' : '';
    const options = [
      ['', 'No access'],
      [`read:${category}`, 'Read'],
      [`write:${category}`, 'Write'],
    ] as const;
    return html`<tr><th scope="row"><label for="scope-${category}">${WORDS[category]}</label></th><td>${withId(`scope-${category}`, selectHtml(`scope-${category}`, value, options))}</td></tr>
`;
  });
  const flag = (name: string, words: string, hint: string) =>
    html`<label class="choice"><input type="checkbox" name="${name}" value="on"${fieldOf(request, name) === '' ? html`` : html` checked`}> <span>${words}</span><span class="quiet">${hint}</span></label>
`;
  return html`${textField({ name: 'name', label: 'Name', value: fieldOf(request, 'name'), isRequired: true, hasFocus: true, charsMax: TOKEN_LIMITS.tokenNameCharsMax, hint: 'Where you use it, such as the name of a computer.' })}
<fieldset><legend>What it may do</legend>
<table class="list scopes"><tbody>${scopes}</tbody></table>
${flag('all', 'Everything', 'The choices above have no effect then.')}${flag('public-only', 'Only what is public', '')}${flag('notes-only', 'Only notes', 'For notes apps: it can do nothing else.')}</fieldset>
${textArea({ name: 'repositories', label: 'Only these repositories', value: fieldOf(request, 'repositories'), hint: 'As owner/name, one on each line. Empty: all that you see.' })}${textField({ name: 'expires', label: 'Last day', type: 'date', value: fieldOf(request, 'expires'), hint: 'Empty: as late as this server allows.' })}`;
}

function withId(id: string, select: Html): Html {
  return { html: select.html.replace('<select ', `<select id="${id}" `) };
}

/** Shows a token, which no later page does. */
function sendCreated(reply: FastifyReply, { name, token }: CreatedToken): FastifyReply {
  return sendOwnSettings(reply, {
    title: 'Your new access token',
    current: PATH,
    isSecret: true,
    body: settingsBox(
      name,
      html`<p><strong>Copy the token now.</strong> The server does not store it, so no other page can show it.</p>
<pre>${token}</pre>
<p>Enter it as the password of git, or send it to the API in the header <code>Authorization: token …</code></p>
<p><a class="button" href="${PATH}">Continue</a></p>`,
    ),
  });
}
