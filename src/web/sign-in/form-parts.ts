import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { FORM_TOKEN_FIELD, formToken } from '../../people/sessions/cookie.ts';

const FORM_STYLE = html`<style>
main { overflow-wrap: anywhere }
form { display: grid; gap: 1rem; max-width: 22rem }
label { display: grid; gap: .25rem }
input, button { font: inherit; padding: .55rem .7rem; border: 1px solid #888; border-radius: 6px; background: transparent; color: inherit }
button { cursor: pointer; background: #0b6e69; border-color: #0b6e69; color: #fff; font-weight: 600 }
button.second { background: transparent; color: inherit; font-weight: 400 }
.choice { grid-template-columns: auto 1fr; align-items: center; gap: .5rem }
.problem { color: #b3261e }
.rows { list-style: none; padding: 0 }
.rows li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: center; padding: .75rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
.rows form + form { margin-top: .5rem }
.quiet { color: #666; font-size: .9rem }
@media (prefers-color-scheme: dark) { .problem { color: #ffb4ab } .quiet { color: #aaa } }
</style>`;

/** A page with one form. */
export interface FormPage {
  readonly title: string;
  /** why the form that was sent could not be used; undefined for a new form */
  readonly problem?: string | undefined;
  /** between the title and the form */
  readonly before?: Html;
  /** path of the form, without the path of the base URL */
  readonly action: string;
  readonly fields: Html;
  readonly button: string;
  readonly after?: Html;
  /** whether the address of the page contains a token */
  readonly hasSecretAddress?: boolean;
}

/** Sends a page with a form, which works without scripts. Its status is already set. */
export function sendFormPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: FormPage,
  addresses: Addresses,
): FastifyReply {
  const { title, problem, before = html``, after = html``, hasSecretAddress = false } = page;
  const shown = problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
  const form = formHtml(request, reply, page, addresses);
  return sendPage(reply, {
    title,
    head: FORM_STYLE,
    hasForm: true,
    hasSecretAddress,
    body: html`<main>
<h1>${title}</h1>
${before}${shown}
${form}
${after}</main>`,
  });
}

/** Sends a page with several forms. */
export function sendFormsPage(
  reply: FastifyReply,
  page: { title: string; body: Html; hasSecretAddress?: boolean },
): FastifyReply {
  const { title, body, hasSecretAddress = false } = page;
  return sendPage(reply, {
    title,
    head: FORM_STYLE,
    hasForm: true,
    hasSecretAddress,
    body: html`<main>
<h1>${title}</h1>
${body}
</main>`,
  });
}

/** Returns a form with the token of its browser. */
export function formHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  form: Pick<FormPage, 'action' | 'fields' | 'button'> & { readonly isSecond?: boolean },
  addresses: Addresses,
): Html {
  const token = formToken(request, reply, addresses);
  const look = form.isSecond === true ? html` class="second"` : html``;
  return html`<form method="post" action="${addresses.baseUrl}${form.action}">
<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">
${form.fields}
<button${look}>${form.button}</button>
</form>`;
}
