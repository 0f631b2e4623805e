import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { undefinedIf } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { SESSION } from '../../people/sessions/actions.ts';
import type { Session } from '../../people/sessions/model.ts';
import { listed } from '../../people/sessions/present.ts';
import type { Sessions } from '../../people/sessions/service.ts';
import { signedIn, timeHtml } from '../forms/form-parts.ts';
import { browserName } from './browser-name.ts';
import { buttonForm } from './button-form.ts';
import { sendOwnSettings } from './own-settings.ts';

interface Dependencies {
  readonly sessions: Sessions;
  readonly addresses: Addresses;
}

const PATH = '/user/settings/sessions';

/** Registers the page that lists the browsers in which the viewer is signed in. */
export function sessionPages(app: App, { sessions, addresses }: Dependencies): void {
  app.get(
    PATH,
    { config: { action: SESSION.list }, schema: { querystring: Type.Object(PagingQuery) } },
    async (request, reply) => {
      const { items } = await sessions.list(signedIn(request), pagingOf(request.query));
      return sendList(request, reply, items, addresses);
    },
  );

  app.post(PATH, { config: { action: SESSION.end, isForm: true } }, async (request, reply) => {
    const viewer = signedIn(request);
    const id = parseId(fieldOf(request, 'id'));
    if (id === undefined) await sessions.endOthers(viewer);
    else await sessions.end(viewer, id).catch(undefinedIf('not_found'));
    return reply.redirect(localAddress(PATH, addresses), 303);
  });
}

function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  items: readonly Session[],
  addresses: Addresses,
): FastifyReply {
  const ending = (id: string, button: string) =>
    buttonForm(request, reply, { action: PATH, fields: { id }, button }, addresses);
  const rows = items.map((session) => {
    const { isCurrent } = listed(session, request.viewer);
    const end = isCurrent ? html`` : ending(`${session.id}`, 'Sign out');
    const here = isCurrent ? html` <strong>(this browser)</strong>` : html``;
    return html`<li><div class="grow"><span title="${session.userAgent}">${browserName(session.userAgent)}</span>${here}
<div class="quiet small">last used ${timeHtml(session.seenAt)} from ${session.address}</div></div>
${end}</li>
`;
  });
  return sendOwnSettings(reply, {
    title: 'Where you are signed in',
    current: PATH,
    body: html`<ul class="rows box">
${rows}</ul>
${items.length > 1 ? ending('', 'Sign out everywhere else') : html``}`,
  });
}
