import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { OWN_ACCOUNT_PATH } from '../../http/pages/link-paths.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { ACCOUNT } from '../../people/accounts/actions.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import type { AccountEmail } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { OWN_PASSWORD } from '../../people/authentication/actions.ts';
import type { BrowserSignIn } from '../../people/authentication/browser-sign-in.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { EmailChanges } from '../../people/email-changes/service.ts';
import { endSession, setSession } from '../../people/sessions/cookie.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { dangerBox, settingsBox } from '../parts/side-nav.ts';
import { buttonForm } from './button-form.ts';
import { sendDone } from './link-parts.ts';
import { sendOwnSettings } from './own-settings.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly browserSignIn: BrowserSignIn;
  readonly authentication: Pick<Authentication, 'hasPassword'>;
  readonly emailChanges: EmailChanges;
  readonly addresses: Addresses;
}

const EMAILS_PATH = `${OWN_ACCOUNT_PATH}/emails`;
const PASSWORD_PATH = `${OWN_ACCOUNT_PATH}/password`;
const DELETE_PATH = `${OWN_ACCOUNT_PATH}/delete`;

/** What of the page could not be done, and why. */
interface Problem {
  readonly of: 'emails' | 'password' | 'deletion';
  readonly text: string;
}

/** Registers the page on which users change their addresses and their password, and delete their account. */
export function accountSettingsPage(app: App, dependencies: Dependencies): void {
  const { accounts, addresses } = dependencies;
  app.get(OWN_ACCOUNT_PATH, { config: { action: ACCOUNT.readSelf } }, async (request, reply) =>
    sendSettings(request, reply, dependencies),
  );
  // Where a browser is after its user has proved who they are, for one of the forms.
  for (const path of [EMAILS_PATH, PASSWORD_PATH, DELETE_PATH])
    app.get(path, { config: { action: ACCOUNT.readSelf } }, async (_request, reply) =>
      toSettings(reply, addresses),
    );
  emailForms(app, dependencies);
  passwordForm(app, dependencies);

  app.post(DELETE_PATH, { config: { action: ACCOUNT.deleteSelf, isForm: true } }, async (request, reply) =>
    withProblem(request, reply, dependencies, 'deletion', async () => {
      const viewer = signedIn(request);
      const proof = { password: fieldOf(request, 'password'), address: request.ip };
      // Without a password, the recent proof of the browser is enough, which the guard has required.
      if (await dependencies.authentication.hasPassword(viewer.accountId))
        await dependencies.browserSignIn.requireOwnPassword(viewer, proof);
      await accounts.deleteSelf(viewer);
      endSession(reply, addresses);
      return sendDone(reply, { title: 'Your account is deleted', text: html`Nothing of it is left.` });
    }),
  );
}

function emailForms(app: App, dependencies: Dependencies): void {
  const { accounts, emailChanges, addresses } = dependencies;
  const config = { action: ACCOUNT.changeEmails, isForm: true } as const;

  app.post(EMAILS_PATH, { config }, async (request, reply) =>
    withProblem(request, reply, dependencies, 'emails', async () => {
      const viewer = signedIn(request);
      const { id } = await accounts.getOwnUser(viewer);
      const email = fieldOf(request, 'email').trim();
      switch (fieldOf(request, 'change')) {
        case 'add':
          await accounts.emails.add(viewer, [email]);
          break;
        case 'primary':
          await emailChanges.makePrimary(viewer, email);
          break;
        case 'remove':
          await accounts.emails.remove(viewer, id, [email]);
          break;
        case 'resend':
          await emailChanges.resend(viewer, email);
          break;
        default:
          throw new ForgeError({ kind: 'bad_request', what: 'the form has no such change' });
      }
      return toSettings(reply, addresses);
    }),
  );
}

function passwordForm(app: App, dependencies: Dependencies): void {
  const { browserSignIn, addresses } = dependencies;
  const config = { action: OWN_PASSWORD.changeOnPage, isForm: true } as const;

  app.post(PASSWORD_PATH, { config }, async (request, reply) =>
    withProblem(request, reply, dependencies, 'password', async () => {
      const typed = { current: fieldOf(request, 'current'), replacement: fieldOf(request, 'password') };
      const browser = { userAgent: request.headers['user-agent'] ?? '', address: request.ip };
      const session = await browserSignIn.changePassword(signedIn(request), typed, browser);
      setSession(reply, session, addresses);
      return toSettings(reply, addresses);
    }),
  );
}

function toSettings(reply: FastifyReply, addresses: Addresses): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(localAddress(OWN_ACCOUNT_PATH, addresses), 303);
}

/** Shows the page again with the reason if a form cannot be done. */
async function withProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  of: Problem['of'],
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    const text = problemOf(error, reply);
    if (text === undefined) throw error;
    return sendSettings(request, reply, dependencies, { of, text });
  }
}

async function sendSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  { accounts, authentication, emailChanges, addresses }: Dependencies,
  problem?: Problem,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const { name } = await accounts.getOwnUser(viewer);
  const emails = await accounts.emails.listOwn(viewer);
  const hasPassword = await authentication.hasPassword(viewer.accountId);
  const problemOfForm = (of: Problem['of']) => problemHtml(problem?.of === of ? problem.text : undefined);
  const form = (action: string, fields: Html, button: string, isSecond = false) =>
    formHtml(request, reply, { action, fields, button, isSecond }, addresses);
  const change = (kind: string, { email }: AccountEmail, button: string) =>
    buttonForm(request, reply, { action: EMAILS_PATH, fields: { change: kind, email }, button }, addresses);
  const rows = emails.map((email) => {
    const state = email.isPrimary ? 'primary' : email.isVerified ? 'confirmed' : 'not confirmed';
    const primary = !email.isPrimary && email.isVerified ? change('primary', email, 'Make primary') : html``;
    const resend =
      !email.isVerified && !email.isPrimary && emailChanges.isOn
        ? change('resend', email, 'Send the link again')
        : html``;
    const remove = email.isPrimary ? html`` : change('remove', email, 'Remove');
    return html`<li><div class="grow">${email.email} <span class="badge">${state}</span></div><div class="row">${primary}${resend}${remove}</div></li>
`;
  });
  const passwordPart = html`${problemOfForm('password')}<p>A change signs out all other <a href="/user/settings/sessions">browsers</a>.</p>
${form(
  PASSWORD_PATH,
  html`<input type="hidden" name="user_name" value="${name}" autocomplete="username">
<label>Current password <input name="current" type="password" autocomplete="current-password" required></label>
<label>New password <input name="password" type="password" autocomplete="new-password" minlength="${ACCOUNT_LIMITS.passwordCharsMin}" required></label>`,
  'Change the password',
)}`;
  const typedPassword = html`<label>Password <input name="password" type="password" autocomplete="current-password" required></label>`;
  const emailsPart = html`${problemOfForm('emails')}<ul class="rows box">
${rows}</ul>
<p>${emailChanges.isOn ? 'A new address gets a mail with a link that confirms it.' : 'This server sends no mail: an administrator confirms a new address.'}</p>
${form(EMAILS_PATH, html`<input type="hidden" name="change" value="add"><label>New address <input name="email" type="email" autocomplete="email" required></label>`, 'Add the address', true)}`;
  const deletionPart = html`${problemOfForm('deletion')}<p>First delete your repositories or transfer them to others. Nothing brings the account back.</p>
${form(DELETE_PATH, hasPassword ? typedPassword : html``, 'Delete my account', true)}`;
  return sendOwnSettings(reply, {
    title: 'Your account',
    current: OWN_ACCOUNT_PATH,
    body: html`<p>You are <strong>${name}</strong>.</p>
${settingsBox('E-mail addresses', emailsPart)}${hasPassword ? settingsBox('Password', passwordPart) : html``}${dangerBox('Delete the account', deletionPart)}`,
  });
}
