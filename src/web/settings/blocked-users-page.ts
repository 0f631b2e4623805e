import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { BLOCK } from '../../people/blocks/actions.ts';
import type { Blocks } from '../../people/blocks/service.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { textField } from '../parts/fields.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { personHtml } from '../parts/people.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { agoHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendOwnSettings } from '../sign-in/own-settings.ts';

interface Dependencies {
  readonly blocks: Blocks;
  readonly addresses: Addresses;
}

const PATH = '/user/settings/blocked_users';

/** Registers the page on which users block others, and end it. */
export function blockedUsersPage(app: App, dependencies: Dependencies): void {
  const { blocks, addresses } = dependencies;
  const querystring = Type.Object(PagingQuery);
  app.get(PATH, { config: { action: BLOCK.read }, schema: { querystring } }, async (request, reply) =>
    sendList(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: BLOCK.change, isForm: true } }, async (request, reply) => {
    const viewer = signedIn(request);
    const name = fieldOf(request, 'user').trim();
    try {
      if (fieldOf(request, 'action') === 'unblock') await blocks.remove(viewer, name);
      else await blocks.add(viewer, name);
      return reply.redirect(localAddress(PATH, addresses), 303);
    } catch (error) {
      const isMissing = isFailure(error, 'not_found');
      const problem = isMissing ? 'There is no user with this name.' : fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      if (isMissing) reply.code(422);
      return sendList(request, reply, dependencies, { problem, name });
    }
  });
}

async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { blocks, addresses }: Dependencies,
  { problem, name = '' }: { readonly problem?: string; readonly name?: string } = {},
): Promise<FastifyReply> {
  const paging = pagingOf(request.query as { page?: number; limit?: number });
  const list = await blocks.listAccounts(signedIn(request), paging);
  const end = (user: string) =>
    buttonForm(
      request,
      reply,
      { action: PATH, fields: { action: 'unblock', user }, button: 'Unblock' },
      addresses,
    );
  const rows = list.items.map(
    ({ account, createdAt }) =>
      html`<li><div class="grow">${personHtml(account)} <span class="quiet small">blocked ${agoHtml(createdAt)}</span></div>${account === null ? html`` : end(account.name)}</li>
`,
  );
  const form = formHtml(
    request,
    reply,
    {
      action: PATH,
      fields: textField({ name: 'user', label: 'Name of the user', value: name, isRequired: true }),
      button: 'Block',
    },
    addresses,
  );
  const hasNext = paging.page * paging.limit < list.total;
  return sendOwnSettings(reply, {
    title: 'Blocked users',
    current: PATH,
    body: html`<p>Whom you block can change nothing in your repositories: no issues, comments, stars or forks. The user does not learn of it.</p>
${rows.length === 0 ? emptyHtml('You have blocked no user') : html`<ul class="rows box">${rows}</ul>`}
${pagerHtml(PATH, { page: paging.page, hasNext })}${settingsBox('Block a user', html`${problemHtml(problem)}${form}`)}`,
  });
}
