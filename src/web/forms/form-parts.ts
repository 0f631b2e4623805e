import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSignedIn, type SignedIn } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { wireTime } from '../../http/time.ts';
import { FORM_TOKEN_FIELD, formToken } from '../../people/sessions/cookie.ts';

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
  /** absent for a form that only a passkey sends */
  readonly button?: string;
  /** after the button, in the form */
  readonly alternative?: Html | undefined;
  readonly after?: Html;
  /** whether the address of the page contains a token */
  readonly hasSecretAddress?: boolean;
  /** an element that loads a script of this server */
  readonly script?: Html | undefined;
  /** whether it shows a secret, which no browser may store */
  readonly isSecret?: boolean;
}

/** Sends a page with a form, which works without scripts. Its status is already set. */
export function sendFormPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: FormPage,
  addresses: Addresses,
): FastifyReply {
  const { title, problem, script, before = html``, after = html``, hasSecretAddress = false } = page;
  const form = formHtml(request, reply, page, addresses);
  return sendPage(reply, {
    title,
    head: script ?? html``,
    hasForm: true,
    hasSecretAddress,
    hasScript: script !== undefined,
    isSecret: page.isSecret,
    body: html`<div class="stack sign-in">
<h1>${title}</h1>
${before}${problemHtml(problem)}
${form}
${after}</div>`,
  });
}

/** Returns the sentence that says why a form could not be used. */
export function problemHtml(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
}

/** Sends a page with several forms. */
export function sendFormsPage(
  reply: FastifyReply,
  page: { title: string; body: Html; hasSecretAddress?: boolean; isSecret?: boolean },
): FastifyReply {
  const { title, body, hasSecretAddress = false, isSecret } = page;
  return sendPage(reply, {
    title,
    hasForm: true,
    hasSecretAddress,
    isSecret,
    body: html`<div class="stack">
<h1>${title}</h1>
${body}
</div>`,
  });
}

/** Returns a form with the token of its browser. Without the text of a button, a script sends it. */
export function formHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  form: Pick<FormPage, 'action' | 'fields' | 'button' | 'alternative'> & { readonly isSecond?: boolean },
  addresses: Addresses,
): Html {
  const token = formToken(request, reply, addresses);
  const look = form.isSecond === true ? html`` : html` class="primary"`;
  const button =
    form.button === undefined
      ? html``
      : html`<button${look}>${form.button}</button>
`;
  return html`<form class="form" method="post" action="${addresses.baseUrl}${form.action}">
<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">
${form.fields}
${button}${form.alternative ?? html``}</form>`;
}

/** Returns a sentence with the text of a failure. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** @throws ForgeError `unauthenticated`, which leads a browser to the sign-in page */
export function signedIn({ viewer }: Pick<FastifyRequest, 'viewer'>): SignedIn {
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in first' });
}

/** Returns a time that scripts and people can read, in UTC. */
export function timeHtml(ms: number): Html {
  const text = wireTime(ms);
  return html`<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 16)} UTC</time>`;
}
