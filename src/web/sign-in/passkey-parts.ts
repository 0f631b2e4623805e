import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendNoPage } from '../../http/errors/web.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { SIGN_IN } from '../../people/authentication/actions.ts';
import type { SecondFactorQuestion } from '../../people/authentication/browser-sign-in.ts';
import type { PasskeyAnswer, PasskeyRequest } from '../../people/second-factor/model.ts';

/** Digits of the digest in the name of the script, which differs for each version. */
const NAME_DIGITS = 16;
const SCRIPT = readFileSync(new URL('./passkeys.js', import.meta.url), 'utf8');
const SCRIPT_NAME = `passkeys-${hash('sha256', SCRIPT).slice(0, NAME_DIGITS)}.js`;

/** Registers the script of pages with passkeys, which the browser API needs. */
export function passkeyScript(app: App): void {
  const schema = { params: Type.Object({ file: Type.String() }) };
  app.get('/assets/:file', { config: { action: SIGN_IN.start }, schema }, async (request, reply) => {
    if (request.params.file !== SCRIPT_NAME) return sendNoPage(reply.code(404));
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type('text/javascript; charset=utf-8').send(SCRIPT);
  });
}

/** Returns the element that loads the script. */
export function passkeyScriptHtml({ baseUrl }: Addresses): Html {
  return html`<script type="module" src="${baseUrl}/assets/${SCRIPT_NAME}"></script>
`;
}

/** A one-time code, which phones offer to fill in, or a recovery code. A passkey replaces it. */
export const CODE_FIELD = html`<label>Code <input name="code" inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" data-without-passkey required></label>`;

/** Returns the part of a form with which a browser asks for a passkey. Without scripts, it is not shown. */
export function passkeyFields(
  { options, challenge }: PasskeyRequest,
  { kind, button }: { readonly kind: 'create' | 'get'; readonly button: string },
): Html {
  return html`<input type="hidden" name="passkey_challenge" value="${challenge}">
<input type="hidden" name="passkey" value="">
<button type="button" class="second" data-passkey="${kind}" data-options="${options}" hidden>${button}</button>
<p class="problem" role="alert" data-passkey-problem hidden>The passkey was not used. Try again.</p>
<noscript><p class="quiet">Passkeys work only with scripts.</p></noscript>`;
}

/** Returns what a page asks for, besides the password. */
export function nameOfFactor({ hasCodes, passkey }: SecondFactorQuestion): string {
  const codes = hasCodes ? ['a code from the app on your phone'] : [];
  const passkeys = passkey === undefined ? [] : ['a passkey'];
  return [...codes, ...passkeys, 'one of your recovery codes'].join(' or ');
}

/** Returns the part of a form that asks for a second factor in which a passkey replaces the code; undefined without one. */
export function passkeyAlternative({ passkey }: SecondFactorQuestion): Html | undefined {
  return passkey && passkeyFields(passkey, { kind: 'get', button: 'Use a passkey' });
}

/** Returns what a browser has sent; undefined for a form that was sent without a passkey. */
export function passkeyAnswerOf(request: FastifyRequest): PasskeyAnswer | undefined {
  const credential = fieldOf(request, 'passkey');
  return credential === '' ? undefined : { challenge: fieldOf(request, 'passkey_challenge'), credential };
}
