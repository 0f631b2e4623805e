import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isSignedIn, type SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, undefinedIf } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { wireTime } from '../../http/time.ts';
import { SESSION } from '../../people/sessions/actions.ts';
import type { Session } from '../../people/sessions/model.ts';
import { listed } from '../../people/sessions/present.ts';
import type { Sessions } from '../../people/sessions/service.ts';
import { formHtml, sendFormsPage } from './form-parts.ts';

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
    formHtml(
      request,
      reply,
      { action: PATH, fields: html`<input type="hidden" name="id" value="${id}">`, button, isSecond: true },
      addresses,
    );
  const rows = items.map((session) => {
    const { isCurrent } = listed(session, request.viewer);
    const end = isCurrent ? html`<strong>this browser</strong>` : ending(`${session.id}`, 'Sign out');
    return html`<tr><td>${session.userAgent === '' ? 'unknown browser' : session.userAgent}
<div class="quiet">${session.address}, signed in by ${session.proofs.join(' and ')}</div></td>
<td><time datetime="${wireTime(session.seenAt)}">${wireTime(session.seenAt)}</time></td><td>${end}</td></tr>
`;
  });
  return sendFormsPage(reply, {
    title: 'Browsers in which you are signed in',
    body: html`<table>
<thead><tr><th scope="col">Browser</th><th scope="col">Last used</th><th scope="col"></th></tr></thead>
<tbody>
${rows}</tbody>
</table>
${items.length > 1 ? ending('', 'Sign out of all others') : html``}`,
  });
}

function signedIn({ viewer }: FastifyRequest): SignedIn {
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in first' });
}
