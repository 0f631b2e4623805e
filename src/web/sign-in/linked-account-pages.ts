import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForgeError, undefinedIf } from '../../base/core/failure.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { deleteCookie } from '../../http/pages/cookies.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { EXTERNAL } from '../../people/external/actions.ts';
import type { Identities } from '../../people/external/identities.ts';
import type { ExternalSignIn } from '../../people/external/service.ts';
import { problemHtml, sentence, signedIn, timeHtml } from '../forms/form-parts.ts';
import { buttonForm } from './button-form.ts';
import { LINKED_PATH, linkForm, NEWCOMER, newcomerSecret } from './newcomer.ts';
import { sendOwnSettings } from './own-settings.ts';
import { providerLinks } from './provider-links.ts';

interface Dependencies {
  readonly externalSignIn: ExternalSignIn;
  readonly externalIdentities: Identities;
  readonly addresses: Addresses;
}

/** Registers the page on which a user sees, adds and removes accounts at providers. */
export function linkedAccountPages(app: App, dependencies: Dependencies): void {
  const { externalSignIn, externalIdentities, addresses } = dependencies;

  app.get(LINKED_PATH, { config: { action: EXTERNAL.list } }, async (request, reply) =>
    sendList(request, reply, dependencies),
  );

  app.post(LINKED_PATH, { config: { action: EXTERNAL.change, isForm: true } }, async (request, reply) => {
    const viewer = signedIn(request);
    const isLink = fieldOf(request, 'what') === 'link';
    try {
      if (!isLink) {
        const id = parseId(fieldOf(request, 'id'));
        if (id !== undefined) await externalIdentities.remove(viewer, id).catch(undefinedIf('not_found'));
        return reply.redirect(localAddress(LINKED_PATH, addresses), 303);
      }
      const { redirectTo } = await externalSignIn.link(viewer, newcomerSecret(request, addresses));
      deleteCookie(reply, NEWCOMER, addresses);
      return reply.redirect(localAddress(redirectTo === '' ? LINKED_PATH : redirectTo, addresses), 303);
    } catch (error) {
      const failure = error instanceof ForgeError ? error.failure : undefined;
      if (failure?.kind !== 'forbidden' && failure?.kind !== 'expired' && failure?.kind !== 'conflict')
        throw error;
      reply.code({ forbidden: 403, expired: 410, conflict: 409 }[failure.kind]);
      return sendList(request, reply, dependencies, sentence(failure.what));
    }
  });
}

async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { externalSignIn, externalIdentities, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const identities = await externalIdentities.list(signedIn(request));
  const { providers } = externalSignIn;
  const newcomer = await externalSignIn.findNewcomer(newcomerSecret(request, addresses));
  const rows = identities.map((identity) => {
    const provider = providers.find(({ issuer }) => issuer === identity.issuer);
    const remove = buttonForm(
      request,
      reply,
      { action: LINKED_PATH, fields: { id: identity.id }, button: 'Remove' },
      addresses,
    );
    return html`<li><div class="grow">${provider?.displayName ?? identity.issuer}
<div class="quiet">${identity.name === '' ? identity.subject : identity.name}, last used ${timeHtml(identity.usedAt)}</div></div>
${remove}</li>
`;
  });
  const displayName = providers.find(({ name }) => name === newcomer?.provider)?.displayName ?? '';
  const linked = new Set(identities.map(({ issuer }) => issuer));
  const others = providers.filter(({ issuer }) => !linked.has(issuer));
  return sendOwnSettings(reply, {
    title: 'Linked accounts',
    current: LINKED_PATH,
    body: html`${problemHtml(problem)}
${newcomer === undefined ? html`` : linkForm(request, reply, { newcomer, displayName, addresses })}
${
  identities.length === 0
    ? html`<p class="empty">You sign in with no account of another server.</p>`
    : html`<ul class="rows box">
${rows}</ul>`
}
${
  others.length === 0
    ? html``
    : html`<h2>Link another account</h2>
${providerLinks(others, { redirectTo: LINKED_PATH, addresses })}`
}`,
  });
}
