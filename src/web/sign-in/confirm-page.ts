import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { CONFIRM_PATH } from '../../http/errors/web.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { SIGN_IN } from '../../people/authentication/actions.ts';
import type { BrowserSignIn, SecondFactorQuestion } from '../../people/authentication/browser-sign-in.ts';
import type { ExternalSignIn } from '../../people/external/service.ts';
import { setSession } from '../../people/sessions/cookie.ts';
import { problemHtml, sendFormPage, sendFormsPage, signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import {
  CODE_FIELD,
  nameOfFactor,
  passkeyAlternative,
  passkeyAnswerOf,
  passkeyScriptHtml,
} from './passkey-parts.ts';
import { providerLinks } from './provider-links.ts';

interface Dependencies {
  readonly browserSignIn: BrowserSignIn;
  readonly externalSignIn: Pick<ExternalSignIn, 'providers'>;
  readonly addresses: Addresses;
}

const schema = { querystring: Type.Object({ redirect_to: Type.Optional(Type.String()) }) };

/** Registers the page on which the user of a browser proves again who they are. */
export function confirmPage(app: App, dependencies: Dependencies): void {
  const { browserSignIn, externalSignIn, addresses } = dependencies;
  const config = { action: SIGN_IN.confirm, isForm: true } as const;

  app.get(CONFIRM_PATH, { config, schema }, async (request, reply) =>
    send(request, reply, { redirectTo: request.query.redirect_to ?? '' }),
  );

  app.post(CONFIRM_PATH, { config }, async (request, reply) => {
    const redirectTo = fieldOf(request, 'redirect_to');
    try {
      const session = await browserSignIn.confirm(signedIn(request), {
        password: fieldOf(request, 'password'),
        code: fieldOf(request, 'code'),
        passkey: passkeyAnswerOf(request),
        address: request.ip,
      });
      setSession(reply, session, addresses);
      return reply.header('cache-control', 'no-store').redirect(localAddress(redirectTo, addresses), 303);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return send(request, reply, { redirectTo, problem });
    }
  });

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { redirectTo, problem }: { readonly redirectTo: string; readonly problem?: string },
  ): Promise<FastifyReply> {
    const { name } = request.viewer;
    const { hasPassword, factor } = await browserSignIn.confirmationOf(signedIn(request));
    const title = 'Confirm that it is you';
    const who = html`You are signed in as <strong>${name}</strong>.`;
    const providers = providerLinks(externalSignIn.providers, { redirectTo, addresses });
    if (!hasPassword && factor?.passkey === undefined)
      return sendFormsPage(reply, {
        title,
        body: html`${problemHtml(problem)}<p>${who} Sign in again for what you want to change.</p>${providers}`,
      });
    const page = {
      title,
      problem,
      before: html`<p>${who} What you want to change needs ${neededFor(hasPassword, factor)}.</p>`,
      action: CONFIRM_PATH,
      fields: html`<input type="hidden" name="redirect_to" value="${redirectTo}">
<input type="hidden" name="user_name" value="${name}" autocomplete="username">${hasPassword ? passwordFields(factor) : html``}`,
      ...(hasPassword ? { button: 'Continue' } : {}),
      alternative: factor && passkeyAlternative(factor),
      script: factor?.passkey && passkeyScriptHtml(),
      after: providers,
    };
    return sendFormPage(request, reply, page, addresses);
  }
}

function neededFor(hasPassword: boolean, factor: SecondFactorQuestion | undefined): string {
  if (!hasPassword) return 'your passkey';
  if (factor === undefined) return 'your password';
  const alone =
    factor.passkey === undefined ? '' : ', or a passkey alone that asks for your PIN, finger or face';
  return `your password and ${nameOfFactor(factor)}${alone}`;
}

function passwordFields(factor: SecondFactorQuestion | undefined): Html {
  return html`
<label>Password <input name="password" type="password" autocomplete="current-password" data-without-passkey autofocus required></label>
${factor === undefined ? html`` : CODE_FIELD}`;
}
