import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../api/access/viewer.ts';
import { html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { FORM_TOKEN_FIELD, formToken } from '../../people/sessions/cookie.ts';

/** Value of the field `access` for an app password that is only for notes. */
export const NOTES_ACCESS = 'notes';

/** What the page shows. */
interface FormState {
  readonly client: string;
  readonly viewer: SignedIn;
  /** as in `sendPage` */
  readonly formLeadsTo?: string;
}

/** Sends the page on which a user connects a client. It works without scripts, and on a small screen. */
export function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { client, viewer, formLeadsTo }: FormState,
  addresses: Addresses,
): FastifyReply {
  return sendPage(reply, {
    title: 'Connect a device',
    hasForm: true,
    formLeadsTo,
    body: html`<div class="stack prose">
<h1>Connect a device</h1>
<p><strong>${client}</strong> wants to use the notes of <strong>${viewer.name}</strong>. Continue only if you have just
started this on a device of yours.</p>
<form class="form" method="post">
<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken(request, reply, addresses)}">
<label>Name of the device <input name="device" value="${client}" maxlength="120"></label>
<label class="choice"><input type="checkbox" name="access" value="${NOTES_ACCESS}" checked> Only notes, not my repositories</label>
<button class="primary">Connect as ${viewer.name}</button>
</form>
<p>The device gets a password of its own. You can delete it at any time, as the token of this name.</p>
<p>You are not ${viewer.name}? <a href="${addresses.baseUrl}/user/logout">Sign out</a> first.</p>
</div>`,
  });
}

/** Sends the page after the form. */
export function sendDone(
  reply: FastifyReply,
  { title, text }: { title: string; text: string },
): FastifyReply {
  return sendPage(reply, {
    title,
    body: html`<div class="stack prose">
<h1>${title}</h1>
<p>${text}</p>
</div>`,
  });
}
