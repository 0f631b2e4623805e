import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { FORGOT_PASSWORD_PATH } from '../../http/pages/link-paths.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { RECOVERY } from '../../people/recovery/actions.ts';
import type { Recovery } from '../../people/recovery/service.ts';
import { sendFormPage } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { linkPage, sendDone, signInLink } from './link-parts.ts';

interface Dependencies {
  readonly recovery: Recovery;
  readonly addresses: Addresses;
}

/** Registers the pages for people who have forgotten their password. */
export function recoveryPages(app: App, dependencies: Dependencies): void {
  forgotPage(app, dependencies);
  recoverPage(app, dependencies);
}

function forgotPage(app: App, { recovery, addresses }: Dependencies): void {
  const config = { action: RECOVERY.request, isForm: true } as const;
  const send = (request: FastifyRequest, reply: FastifyReply, problem?: string) =>
    sendFormPage(
      request,
      reply,
      {
        title: 'Forgot your password?',
        problem,
        before: html`<p>You get a link to choose a new one by mail.</p>`,
        action: FORGOT_PASSWORD_PATH,
        fields: html`<label>Primary e-mail address of your account <input name="email" type="email" autocomplete="email" required></label>`,
        button: 'Send the link',
        after: html`<p>${signInLink(addresses)}</p>`,
      },
      addresses,
    );

  app.get(FORGOT_PASSWORD_PATH, { config }, async (request, reply) =>
    recovery.isOn ? send(request, reply) : sendAsk(reply),
  );

  app.post(FORGOT_PASSWORD_PATH, { config }, async (request, reply) => {
    if (!recovery.isOn) return sendAsk(reply);
    try {
      await recovery.request(fieldOf(request, 'email').trim());
      return sendDone(reply, {
        title: 'Look into your mail',
        text: html`If this is the primary e-mail address of an account, a mail with a link is on its way. The link works for an hour.`,
      });
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return send(request, reply, problem);
    }
  });
}

function sendAsk(reply: FastifyReply): FastifyReply {
  return sendDone(reply, {
    title: 'Forgot your password?',
    text: html`This server sends no mail. Ask an administrator for a link with which you choose a new password.`,
  });
}

function recoverPage(app: App, { recovery, addresses }: Dependencies): void {
  const page = {
    purpose: 'recover',
    async show(token: string) {
      const { name } = await recovery.find(token);
      return {
        title: 'Choose a new password',
        before: html`<p>This is the account <strong>${name}</strong>. All browsers and devices that use the old password are signed out.</p>`,
        fields: html`<input type="hidden" name="user_name" value="${name}" autocomplete="username">
<label>New password <input name="password" type="password" autocomplete="new-password" minlength="${ACCOUNT_LIMITS.passwordCharsMin}" required></label>
<label class="choice"><input type="checkbox" name="delete_tokens" value="on"> Also delete all access tokens, because someone else may have used the account</label>`,
        button: 'Set the password',
      };
    },
    async use(token: string, request: FastifyRequest) {
      const deletesTokens = isChecked(request, 'delete_tokens');
      await recovery.recover(token, fieldOf(request, 'password'), { deletesTokens });
      return { title: 'You have a new password', text: html`${signInLink(addresses)} with it.` };
    },
  } as const;
  linkPage(app, page, addresses);
}
