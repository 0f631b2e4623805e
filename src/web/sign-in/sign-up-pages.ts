import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { SIGN_UP_PATH } from '../../http/pages/link-paths.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { SIGN_UP } from '../../people/sign-up/actions.ts';
import type { SignUp } from '../../people/sign-up/service.ts';
import { sendFormPage } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { linkPage, sendDone, signInLink } from './link-parts.ts';

interface Dependencies {
  readonly signUp: SignUp;
  readonly addresses: Addresses;
}

/** Registers the pages on which people create accounts. */
export function signUpPages(app: App, dependencies: Dependencies): void {
  signUpPage(app, dependencies);
  activationPage(app, dependencies);
  invitationPage(app, dependencies);
}

const passwordField = html`<label>Password <input name="password" type="password" autocomplete="new-password" minlength="${ACCOUNT_LIMITS.passwordCharsMin}" required></label>`;

function nameField(name: string) {
  return html`<label>Name <input name="user_name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="${ACCOUNT_LIMITS.nameCharsMax}" required></label>`;
}

function signUpPage(app: App, { signUp, addresses }: Dependencies): void {
  const config = { action: SIGN_UP.start, isForm: true } as const;
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    { name, email, problem }: { name: string; email: string; problem?: string },
  ) =>
    sendFormPage(
      request,
      reply,
      {
        title: 'Create an account',
        problem,
        action: SIGN_UP_PATH,
        fields: html`${nameField(name)}
<label>E-mail address <input name="email" type="email" value="${email}" autocomplete="email" required></label>
${passwordField}`,
        button: 'Create the account',
        after: html`<p>You have an account? ${signInLink(addresses)}</p>`,
      },
      addresses,
    );

  app.get(SIGN_UP_PATH, { config }, async (request, reply) =>
    signUp.isOpen ? send(request, reply, { name: '', email: '' }) : sendClosed(reply),
  );

  app.post(SIGN_UP_PATH, { config }, async (request, reply) => {
    if (!signUp.isOpen) return sendClosed(reply);
    const name = typedName(request);
    const email = fieldOf(request, 'email').trim();
    try {
      const step = await signUp.start({ name, email, password: fieldOf(request, 'password') });
      return step === 'mailed' ? sendMailed(reply, email) : sendWaiting(reply);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return send(request, reply, { name, email, problem });
    }
  });
}

function sendClosed(reply: FastifyReply): FastifyReply {
  return sendDone(reply.code(403), {
    title: 'Sign-up is closed',
    text: html`Ask an administrator of this server for an account.`,
  });
}

function sendMailed(reply: FastifyReply, email: string): FastifyReply {
  return sendDone(reply, {
    title: 'Look into your mail',
    text: html`The account is created by the link in the mail to <strong>${email}</strong>. It works for a day.`,
  });
}

function sendWaiting(reply: FastifyReply): FastifyReply {
  return sendDone(reply, {
    title: 'Wait for an administrator',
    text: html`An administrator of this server looks at your request. Then you can sign in.`,
  });
}

function activationPage(app: App, { signUp, addresses }: Dependencies): void {
  const page = {
    purpose: 'sign-up',
    async show(token: string, request: FastifyRequest) {
      const link = await signUp.findSignUp(token);
      return {
        title: 'Create your account',
        before: html`<p>Your e-mail address is <strong>${link.email}</strong>.</p>`,
        fields: nameField(typedName(request) || (link.name ?? '')),
        button: 'Create the account',
      };
    },
    use: async (token: string, request: FastifyRequest) =>
      created(await signUp.finish(token, typedName(request)), addresses),
  } as const;
  linkPage(app, page, addresses);
}

function invitationPage(app: App, { signUp, addresses }: Dependencies): void {
  const page = {
    purpose: 'invitation',
    async show(token: string, request: FastifyRequest) {
      const link = await signUp.findInvitation(token);
      return {
        title: 'Create your account',
        before: html`<p>You are invited with the e-mail address <strong>${link.email}</strong>.</p>`,
        fields: html`${nameField(typedName(request))}
${passwordField}`,
        button: 'Create the account',
      };
    },
    async use(token: string, request: FastifyRequest) {
      const typed = { name: typedName(request), password: fieldOf(request, 'password') };
      return created(await signUp.accept(token, typed), addresses);
    },
  } as const;
  linkPage(app, page, addresses);
}

function typedName(request: FastifyRequest): string {
  return fieldOf(request, 'user_name').trim();
}

function created({ name }: { readonly name: string }, addresses: Addresses) {
  return {
    title: 'Your account is ready',
    text: html`You are <strong>${name}</strong>. ${signInLink(addresses)}`,
  };
}
