import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { staticFile } from '../../http/pages/static-file.ts';
import type { SecondFactorQuestion } from '../../people/authentication/browser-sign-in.ts';
import type { PasskeyAnswer, PasskeyRequest } from '../../people/second-factor/model.ts';

/** The script of pages with passkeys, which the browser API needs. */
export const PASSKEY_SCRIPT = staticFile(new URL('./passkeys.js', import.meta.url));

/** Returns the element that loads the script. */
export function passkeyScriptHtml(): Html {
  return html`<script type="module" src="${PASSKEY_SCRIPT.path}"></script>
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
<button type="button" data-passkey="${kind}" data-options="${options}" hidden>${button}</button>
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
