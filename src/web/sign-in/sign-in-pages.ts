import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { undefinedIf } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { FORGOT_PASSWORD_PATH, SIGN_UP_PATH } from '../../http/pages/link-paths.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { SIGN_IN } from '../../people/authentication/actions.ts';
import type {
  BrowserSignIn,
  LaterStep,
  SecondFactorQuestion,
  SignInStep,
} from '../../people/authentication/browser-sign-in.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { ExternalSignIn } from '../../people/external/service.ts';
import type { Recovery } from '../../people/recovery/service.ts';
import type { PasskeyRequest } from '../../people/second-factor/model.ts';
import { SESSION } from '../../people/sessions/actions.ts';
import { endSession, setSession } from '../../people/sessions/cookie.ts';
import type { Sessions } from '../../people/sessions/service.ts';
import type { SignUp } from '../../people/sign-up/service.ts';
import { problemHtml, sendFormPage, sendFormsPage } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import {
  CODE_FIELD,
  nameOfFactor,
  passkeyAlternative,
  passkeyAnswerOf,
  passkeyFields,
  passkeyScriptHtml,
} from './passkey-parts.ts';
import { providerLinks } from './provider-links.ts';

interface Dependencies {
  readonly browserSignIn: BrowserSignIn;
  readonly sessions: Sessions;
  readonly signUp: Pick<SignUp, 'isOpen'>;
  readonly recovery: Pick<Recovery, 'isOn'>;
  readonly authentication: Authentication;
  readonly externalSignIn: ExternalSignIn;
  readonly addresses: Addresses;
}

const NEW_PASSWORD_FIELD = html`<label>New password <input name="new_password" type="password" autocomplete="new-password" minlength="${ACCOUNT_LIMITS.passwordCharsMin}" required></label>`;
const schema = { querystring: Type.Object({ redirect_to: Type.Optional(Type.String()) }) };

/** What the sign-in page shows. */
interface SignInState {
  readonly login: string;
  readonly redirectTo: string;
  readonly isRemembered: boolean;
  readonly problem?: string | undefined;
  readonly needsNewPassword?: boolean;
  /** to sign in with a passkey alone; undefined if this server has none */
  readonly passkey: PasskeyRequest | undefined;
}

/** Where the second factor is sent. */
const SECOND_FACTOR_PATH = '/user/two_factor';

/** What the page for the second factor shows. */
interface SecondFactorState {
  readonly pending: string;
  readonly asks: SecondFactorQuestion;
  readonly redirectTo: string;
  readonly needsNewPassword: boolean;
  readonly problem?: string | undefined;
}

/** Registers the pages on which a person signs in and out. */
export function signInPages(app: App, dependencies: Dependencies): void {
  signInPage(app, dependencies);
  secondFactorPage(app, dependencies);
  signOutPage(app, dependencies);
}

function signInPage(app: App, dependencies: Dependencies): void {
  const { browserSignIn, addresses } = dependencies;
  const config = { action: SIGN_IN.start, isForm: true } as const;

  app.get(SIGN_IN_PATH, { config, schema }, async (request, reply) => {
    const redirectTo = request.query.redirect_to ?? '';
    if (isSignedIn(request.viewer)) return reply.redirect(localAddress(redirectTo, addresses), 303);
    const state = { login: '', redirectTo, isRemembered: false };
    return sendSignIn(
      request,
      reply,
      { ...state, passkey: await browserSignIn.requestPasskey() },
      dependencies,
    );
  });

  app.post(SIGN_IN_PATH, { config }, async (request, reply) => {
    const login = fieldOf(request, 'user_name').trim();
    const isRemembered = isChecked(request, 'remember');
    const redirectTo = fieldOf(request, 'redirect_to');
    const newPassword = fieldOf(request, 'new_password');
    const state = { login, redirectTo, isRemembered };
    const browser = { userAgent: request.headers['user-agent'] ?? '', address: request.ip, isRemembered };
    const typed = { login, password: fieldOf(request, 'password'), newPassword };
    const answer = passkeyAnswerOf(request);
    try {
      const step: SignInStep =
        answer === undefined
          ? await browserSignIn.start(typed, browser)
          : { kind: 'done', session: await browserSignIn.startWithPasskey(answer, browser) };
      if (step.kind !== 'new-password') return sendStep(request, reply, step, redirectTo, addresses);
      const next = { ...state, needsNewPassword: true, passkey: undefined };
      return sendSignIn(request, reply, next, dependencies);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      const needsNewPassword = newPassword !== '';
      const passkey = needsNewPassword ? undefined : await browserSignIn.requestPasskey();
      return sendSignIn(request, reply, { ...state, problem, needsNewPassword, passkey }, dependencies);
    }
  });
}

function sendSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { login, redirectTo, isRemembered, problem, needsNewPassword = false, passkey }: SignInState,
  dependencies: Dependencies,
): FastifyReply {
  const { authentication, externalSignIn, addresses } = dependencies;
  const providers = providerLinks(externalSignIn.providers, { redirectTo, addresses });
  const alternative = passkey && passkeyFields(passkey, { kind: 'get', button: 'Sign in with a passkey' });
  const script = passkey && passkeyScriptHtml();
  if (!authentication.settings.takesPasswords) {
    const title = 'Sign in';
    if (alternative === undefined)
      return sendFormsPage(reply, { title, body: html`${problemHtml(problem)}${providers}` });
    const fields = html`<input type="hidden" name="redirect_to" value="${redirectTo}">`;
    const page = { title, problem, action: SIGN_IN_PATH, fields, alternative, script, after: providers };
    return sendFormPage(request, reply, page, addresses);
  }
  const before = html`<p>Choose a new password: an administrator wants you to replace the current one.</p>`;
  const checked = isRemembered ? html` checked` : html``;
  const page = {
    title: 'Sign in',
    problem,
    action: SIGN_IN_PATH,
    fields: html`<input type="hidden" name="redirect_to" value="${redirectTo}">
<label>Name or e-mail address <input name="user_name" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" data-without-passkey required></label>
<label>${needsNewPassword ? 'Current password' : 'Password'} <input name="password" type="password" autocomplete="current-password" data-without-passkey required></label>
${needsNewPassword ? NEW_PASSWORD_FIELD : html``}
<label class="choice"><input type="checkbox" name="remember" value="on"${checked}> Stay signed in on this device</label>`,
    button: 'Sign in',
    alternative,
    script,
    after: html`${providers}${otherPages(dependencies)}`,
  };
  return sendFormPage(request, reply, needsNewPassword ? { ...page, before } : page, dependencies.addresses);
}

/** Leads to the pages for people who cannot sign in, as far as they are open. */
function otherPages({ signUp, recovery, addresses: { baseUrl } }: Dependencies): Html {
  const forgot = html`<p><a href="${baseUrl}${FORGOT_PASSWORD_PATH}">Forgot your password?</a></p>`;
  const create = html`<p><a href="${baseUrl}${SIGN_UP_PATH}">Create an account</a></p>`;
  return html`${recovery.isOn ? forgot : html``}${signUp.isOpen ? create : html``}`;
}

function secondFactorPage(app: App, dependencies: Dependencies): void {
  const { browserSignIn, addresses } = dependencies;
  const config = { action: SIGN_IN.start, isForm: true } as const;

  app.post(SECOND_FACTOR_PATH, { config }, async (request, reply) => {
    const pending = fieldOf(request, 'pending');
    const redirectTo = fieldOf(request, 'redirect_to');
    const newPassword = fieldOf(request, 'new_password');
    const browser = { userAgent: request.headers['user-agent'] ?? '', address: request.ip };
    try {
      const typed = { code: fieldOf(request, 'code'), passkey: passkeyAnswerOf(request), newPassword };
      const step = await browserSignIn.finish(pending, typed, browser);
      return sendStep(request, reply, step, redirectTo, addresses);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      const asks = await browserSignIn.askAgain(pending).catch(undefinedIf('expired'));
      if (asks === undefined) {
        const state = { login: '', redirectTo, isRemembered: false, passkey: undefined, problem };
        return sendSignIn(request, reply, state, dependencies);
      }
      const state = { pending, asks, redirectTo, needsNewPassword: newPassword !== '', problem };
      return sendSecondFactor(request, reply, state, addresses);
    }
  });
}

/** Sends what follows in a sign-in: the page that the user has asked for, or the one for the second factor. */
function sendStep(
  request: FastifyRequest,
  reply: FastifyReply,
  step: LaterStep,
  redirectTo: string,
  addresses: Addresses,
): FastifyReply {
  if (step.kind === 'second-factor')
    return sendSecondFactor(request, reply, { ...step, redirectTo }, addresses);
  setSession(reply, step.session, addresses);
  return reply.header('cache-control', 'no-store').redirect(localAddress(redirectTo, addresses), 303);
}

function sendSecondFactor(
  request: FastifyRequest,
  reply: FastifyReply,
  { pending, asks, redirectTo, needsNewPassword, problem }: SecondFactorState,
  addresses: Addresses,
): FastifyReply {
  const page = {
    title: 'Second factor',
    problem,
    before: html`<p>To sign in, you need your password and ${nameOfFactor(asks)}.</p>`,
    action: SECOND_FACTOR_PATH,
    fields: html`<input type="hidden" name="pending" value="${pending}">
<input type="hidden" name="redirect_to" value="${redirectTo}">
${needsNewPassword ? NEW_PASSWORD_FIELD : html``}
${CODE_FIELD}`,
    button: 'Sign in',
    alternative: passkeyAlternative(asks),
    script: asks.passkey && passkeyScriptHtml(),
    isSecret: true,
  };
  return sendFormPage(request, reply, page, addresses);
}

function signOutPage(app: App, { sessions, addresses }: Dependencies): void {
  const config = { action: SESSION.end, isForm: true } as const;

  app.get('/user/logout', { config }, async (request, reply) =>
    sendFormPage(
      request,
      reply,
      {
        title: 'Sign out',
        before: html`<p>You are signed in as <strong>${request.viewer.name}</strong>.</p>`,
        action: '/user/logout',
        fields: html``,
        button: 'Sign out',
      },
      addresses,
    ),
  );

  app.post('/user/logout', { config }, async (request, reply) => {
    const { viewer } = request;
    endSession(reply, addresses);
    // Another request may have ended it meanwhile.
    if (isSignedIn(viewer) && viewer.source?.kind === 'session')
      await sessions.end(viewer, viewer.source.sessionId).catch(undefinedIf('not_found'));
    return reply.header('cache-control', 'no-store').redirect(localAddress('/', addresses), 303);
  });
}
