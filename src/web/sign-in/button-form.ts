import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { FORM_TOKEN_FIELD, formToken } from '../../people/sessions/cookie.ts';

/** A form that shows nothing but a button. */
interface ButtonForm {
  /** path of the form, without the path of the base URL */
  readonly action: string;
  /** names and values of hidden fields */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly button: Html | string;
  /** classes of the button */
  readonly look?: 'primary' | 'danger' | 'small' | 'small danger' | 'small primary';
}

/** Returns the hidden field with the token of the browser, for a form in a row. */
export function tokenField(request: FastifyRequest, reply: FastifyReply, addresses: Addresses): Html {
  return html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken(request, reply, addresses)}">`;
}

/** Returns a form with one button and the token of its browser, for a row or a menu. */
export function buttonForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { action, fields = {}, button, look = 'small' }: ButtonForm,
  addresses: Addresses,
): Html {
  const hidden = Object.entries({ [FORM_TOKEN_FIELD]: formToken(request, reply, addresses), ...fields });
  return html`<form method="post" action="${action}">${hidden.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${look}">${button}</button></form>`;
}
