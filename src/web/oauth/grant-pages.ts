import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { OAUTH_GRANT } from '../../people/oauth-grants/actions.ts';
import type { ShownGrant } from '../../people/oauth-grants/model.ts';
import type { OAuthGrants } from '../../people/oauth-grants/service.ts';
import { signedIn } from '../forms/form-parts.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { OWN_APPLICATIONS_PATH } from './application-pages.ts';
import { inWords } from './words.ts';

interface Dependencies {
  readonly oauthGrants: OAuthGrants;
  readonly addresses: Addresses;
}

const PATH = `${OWN_APPLICATIONS_PATH}/grants`;

/** Registers the form that ends what the viewer has granted to an application. */
export function grantPages(app: App, { oauthGrants, addresses }: Dependencies): void {
  app.post(PATH, { config: { action: OAUTH_GRANT.end, isForm: true } }, async (request, reply) => {
    const viewer = signedIn(request);
    const id = parseId(fieldOf(request, 'application_id'));
    if (id !== undefined) await oauthGrants.endApplication(viewer, id);
    return reply.redirect(localAddress(OWN_APPLICATIONS_PATH, addresses), 303);
  });
}

/** Lists the applications that act for the viewer, the most recently used first, each once. */
export async function grantsHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: SignedIn,
  { oauthGrants, addresses }: Dependencies,
): Promise<Html> {
  const grants = await oauthGrants.list(viewer);
  const byApplication = Map.groupBy(grants, ({ applicationId }) => applicationId);
  const rows = [...byApplication.values()].map((group) =>
    rowOf(group, (id) =>
      buttonForm(request, reply, { action: PATH, fields: { application_id: id }, button: 'End' }, addresses),
    ),
  );
  const list =
    rows.length === 0
      ? html`<p>None.</p>`
      : html`<ul class="rows box">
${rows}</ul>`;
  return html`<h2>Applications that act for you</h2>
${list}`;
}

function rowOf(group: readonly ShownGrant[], ending: (id: number) => Html): Html {
  const [newest] = group;
  if (newest === undefined) return html``;
  const all = group.map(({ scopes }) => scopes);
  const allowed = inWords(all.includes('') ? '' : all.join(' '));
  const used = new Date(newest.usedAt).toISOString();
  const devices = group.length > 1 ? html`, granted ${group.length} times` : html``;
  return html`<li><div class="grow">${newest.applicationName}
<div class="quiet small">can ${allowed.join('; ')}</div>
<div class="quiet small">last used <time datetime="${used}">${used.slice(0, 10)}</time>${devices}</div></div>
${ending(newest.applicationId)}</li>
`;
}
