import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { FORGOT_PASSWORD_PATH, LINK_PATHS } from '../../http/pages/link-paths.ts';
import { EMAIL_LINK } from '../../people/email-changes/actions.ts';
import type { EmailChanges } from '../../people/email-changes/service.ts';
import { LINK_SCHEMA, noLink, sendDone, sendLinkPage, withProblem } from './link-parts.ts';

interface Dependencies {
  readonly emailChanges: EmailChanges;
  readonly addresses: Addresses;
}

/** Registers the pages that prove an address, and that take an account back to a former address. */
export function emailPages(app: App, dependencies: Dependencies): void {
  confirmationPage(app, dependencies);
  undoPage(app, dependencies);
}

function confirmationPage(app: App, { emailChanges, addresses }: Dependencies): void {
  const config = { action: EMAIL_LINK.use, isForm: true } as const;
  const url = `${LINK_PATHS['confirm-email']}:token` as const;
  const send = async (request: FastifyRequest, reply: FastifyReply, token: string, problem?: string) => {
    const { email } = await emailChanges.findConfirmation(token);
    return sendLinkPage(
      request,
      reply,
      {
        title: 'Confirm your e-mail address',
        problem,
        purpose: 'confirm-email',
        token,
        before: html`<p><strong>${email}</strong> was added to an account. Confirm it only if it is your account.</p>`,
        fields: html``,
        button: 'Confirm the address',
      },
      addresses,
    );
  };

  app.get(url, { config, schema: LINK_SCHEMA }, (request, reply) =>
    send(request, reply, request.params.token).catch(noLink(reply)),
  );

  app.post(url, { config, schema: LINK_SCHEMA }, (request, reply) => {
    const { token } = request.params;
    return withProblem(
      reply,
      async () => {
        await emailChanges.confirm(token);
        return sendDone(reply, { title: 'The address is confirmed', text: html`You can close this page.` });
      },
      (problem) => send(request, reply, token, problem),
    );
  });
}

function undoPage(app: App, { emailChanges, addresses }: Dependencies): void {
  const config = { action: EMAIL_LINK.use, isForm: true } as const;
  const url = `${LINK_PATHS['undo-email']}:token` as const;
  const send = async (request: FastifyRequest, reply: FastifyReply, token: string, problem?: string) => {
    const { email } = await emailChanges.findUndo(token);
    return sendLinkPage(
      request,
      reply,
      {
        title: 'Take the account back',
        problem,
        purpose: 'undo-email',
        token,
        before: html`<p><strong>${email}</strong> becomes the primary e-mail address of the account again. All browsers are signed out, and the password and all access tokens stop working.</p>`,
        fields: html``,
        button: 'Take the account back',
      },
      addresses,
    );
  };

  app.get(url, { config, schema: LINK_SCHEMA }, (request, reply) =>
    send(request, reply, request.params.token).catch(noLink(reply)),
  );

  app.post(url, { config, schema: LINK_SCHEMA }, (request, reply) => {
    const { token } = request.params;
    return withProblem(
      reply,
      async () => {
        await emailChanges.undo(token);
        return sendDone(reply, {
          title: 'You have the account back',
          text: html`Now <a href="${addresses.baseUrl}${FORGOT_PASSWORD_PATH}">choose a new password</a>, and delete keys that are not yours.`,
        });
      },
      (problem) => send(request, reply, token, problem),
    );
  });
}
