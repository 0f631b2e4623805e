import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { readCookie } from '../../http/pages/cookies.ts';
import { EXTERNAL_LIMITS } from '../../people/external/limits.ts';
import type { Newcomer } from '../../people/external/model.ts';
import { formHtml } from '../forms/form-parts.ts';

/** What the browser keeps until its user has chosen an account. */
export const NEWCOMER = { name: 'quire_newcomer', maxAgeSeconds: EXTERNAL_LIMITS.newcomerMs / 1000 };
/** Where a user chooses an account after the first sign-in at a provider. */
export const LINK_PATH = '/user/link_account';
export const LINKED_PATH = '/user/settings/linked-accounts';

/** Returns the secret of the newcomer; '' without one. */
export function newcomerSecret(request: FastifyRequest, addresses: Addresses): string {
  return readCookie(request, NEWCOMER, addresses) ?? '';
}

/**
 * Returns a form that links a newcomer with the account of the viewer. It is a form, because otherwise a page of another site
 * could link its author's account at the provider with the account of a visitor.
 */
export function linkForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { newcomer, displayName, addresses }: { newcomer: Newcomer; displayName: string; addresses: Addresses },
): Html {
  const { name, email, subject } = newcomer.user;
  const who = [name, email].find((text) => text !== '') ?? subject;
  return html`<p>You are signed in as <strong>${request.viewer.name}</strong>. Do you want to sign in as
<strong>${who}</strong> of ${displayName} from now on?</p>
${formHtml(
  request,
  reply,
  {
    action: LINKED_PATH,
    fields: html`<input type="hidden" name="what" value="link">`,
    button: `Link with ${request.viewer.name}`,
  },
  addresses,
)}`;
}
