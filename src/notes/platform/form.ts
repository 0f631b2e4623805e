import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import { sendPage } from '../../http/pages/page.ts';

const FORM_STYLE = html`<style>
form { display: grid; gap: .8rem; max-width: 22rem }
label { display: grid; gap: .2rem }
input, button { font: inherit; padding: .6rem; border: 1px solid #888; border-radius: 6px }
button { cursor: pointer }
.choice { grid-template-columns: auto 1fr; align-items: center }
.problem { color: #b00 }
</style>`;

/** Value of the field `access` for an app password that is only for notes. */
export const NOTES_ACCESS = 'notes';

/** What the page shows. */
interface FormState {
  readonly client: string;
  readonly problem?: string;
  readonly login?: string;
  readonly notesOnly?: boolean;
}

/** Sends the page on which a user signs in for a client. It works without scripts, and on a small screen. */
export function sendForm(
  reply: FastifyReply,
  { client, problem, login = '', notesOnly = true }: FormState,
): FastifyReply {
  const shown: Html = problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
  const checked: Html = notesOnly ? html` checked` : html``;
  return sendPage(reply, {
    title: 'Connect a device',
    head: FORM_STYLE,
    hasForm: true,
    body: html`<h1>Connect a device</h1>
<p><strong>${client}</strong> wants to use your notes. Continue only if you have just started this on a device
of yours.</p>
${shown}
<form method="post">
<label>Name or e-mail address <input name="user" value="${login}" autocomplete="username" autocapitalize="none" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<label>Name of the device <input name="device" value="${client}" maxlength="120"></label>
<label class="choice"><input type="checkbox" name="access" value="${NOTES_ACCESS}"${checked}> Only notes, not my repositories</label>
<button>Connect</button>
</form>
<p>The device gets a password of its own. You can delete it at any time, as the token of this name.</p>`,
  });
}

/** Sends the page after the form. */
export function sendDone(
  reply: FastifyReply,
  { title, text }: { title: string; text: string },
): FastifyReply {
  return sendPage(reply, {
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>`,
  });
}

/** Sends the page after a form that a page at another address than the base URL sent. */
export function sendOtherSite(reply: FastifyReply, address: string): FastifyReply {
  const title = 'Nothing was connected';
  return sendPage(reply.code(403), {
    title,
    body: html`<h1>${title}</h1>
<p>The form came from a page at another address. Open <a href="${address}">the page of this server</a> and sign in
there.</p>`,
  });
}
