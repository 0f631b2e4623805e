import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { ForgeError, undefinedIf } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { CONFIRM_PATH, SIGN_IN_PATH } from '../../http/errors/web.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { FORGOT_PASSWORD_PATH, SIGN_UP_PATH } from '../../http/pages/link-paths.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { SIGN_IN } from '../../people/authentication/actions.ts';
import type { BrowserSignIn } from '../../people/authentication/browser-sign-in.ts';
import type { Recovery } from '../../people/recovery/service.ts';
import { SESSION } from '../../people/sessions/actions.ts';
import { endSession, setSession } from '../../people/sessions/cookie.ts';
import type { Sessions } from '../../people/sessions/service.ts';
import type { SignUp } from '../../people/sign-up/service.ts';
import { sendFormPage } from './form-parts.ts';

interface Dependencies {
  readonly browserSignIn: BrowserSignIn;
  readonly sessions: Sessions;
  readonly signUp: Pick<SignUp, 'isOpen'>;
  readonly recovery: Pick<Recovery, 'isOn'>;
  readonly addresses: Addresses;
}

const schema = { querystring: Type.Object({ redirect_to: Type.Optional(Type.String()) }) };

/** What the sign-in page shows. */
interface SignInState {
  readonly login: string;
  readonly redirectTo: string;
  readonly isRemembered: boolean;
  readonly problem?: string | undefined;
  readonly needsNewPassword?: boolean;
}

/** Registers the pages on which a person signs in, confirms who they are, and signs out. */
export function signInPages(app: App, dependencies: Dependencies): void {
  signInPage(app, dependencies);
  confirmPage(app, dependencies);
  signOutPage(app, dependencies);
}

function signInPage(app: App, dependencies: Dependencies): void {
  const { browserSignIn, addresses } = dependencies;
  const config = { action: SIGN_IN.start, isForm: true } as const;

  app.get(SIGN_IN_PATH, { config, schema }, async (request, reply) => {
    const redirectTo = request.query.redirect_to ?? '';
    if (isSignedIn(request.viewer)) return reply.redirect(localAddress(redirectTo, addresses), 303);
    return sendSignIn(request, reply, { login: '', redirectTo, isRemembered: false }, dependencies);
  });

  app.post(SIGN_IN_PATH, { config }, async (request, reply) => {
    const login = fieldOf(request, 'user_name').trim();
    const isRemembered = isChecked(request, 'remember');
    const redirectTo = fieldOf(request, 'redirect_to');
    const newPassword = fieldOf(request, 'new_password');
    const state = { login, redirectTo, isRemembered };
    const browser = { userAgent: request.headers['user-agent'] ?? '', address: request.ip, isRemembered };
    const typed = { login, password: fieldOf(request, 'password'), newPassword };
    try {
      const step = await browserSignIn.start(typed, browser);
      if (step.kind === 'new-password')
        return sendSignIn(request, reply, { ...state, needsNewPassword: true }, dependencies);
      setSession(reply, step.session, addresses);
      return reply.header('cache-control', 'no-store').redirect(localAddress(redirectTo, addresses), 303);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      const needsNewPassword = newPassword !== '';
      return sendSignIn(request, reply, { ...state, problem, needsNewPassword }, dependencies);
    }
  });
}

function sendSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { login, redirectTo, isRemembered, problem, needsNewPassword = false }: SignInState,
  dependencies: Dependencies,
): FastifyReply {
  const before = html`<p>Choose a new password: an administrator wants you to replace the current one.</p>`;
  const newPassword = html`<label>New password <input name="new_password" type="password" autocomplete="new-password" minlength="${ACCOUNT_LIMITS.passwordCharsMin}" required></label>`;
  const checked = isRemembered ? html` checked` : html``;
  const page = {
    title: 'Sign in',
    problem,
    action: SIGN_IN_PATH,
    fields: html`<input type="hidden" name="redirect_to" value="${redirectTo}">
<label>Name or e-mail address <input name="user_name" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" required></label>
<label>${needsNewPassword ? 'Current password' : 'Password'} <input name="password" type="password" autocomplete="current-password" required></label>
${needsNewPassword ? newPassword : html``}
<label class="choice"><input type="checkbox" name="remember" value="on"${checked}> Stay signed in on this device</label>`,
    button: 'Sign in',
    after: otherPages(dependencies),
  };
  return sendFormPage(request, reply, needsNewPassword ? { ...page, before } : page, dependencies.addresses);
}

/** Leads to the pages for people who cannot sign in, as far as they are open. */
function otherPages({ signUp, recovery, addresses: { baseUrl } }: Dependencies): Html {
  const forgot = html`<p><a href="${baseUrl}${FORGOT_PASSWORD_PATH}">Forgot your password?</a></p>`;
  const create = html`<p><a href="${baseUrl}${SIGN_UP_PATH}">Create an account</a></p>`;
  return html`${recovery.isOn ? forgot : html``}${signUp.isOpen ? create : html``}`;
}

function confirmPage(app: App, { browserSignIn, addresses }: Dependencies): void {
  const config = { action: SIGN_IN.confirm, isForm: true } as const;
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    state: { readonly redirectTo: string; readonly problem?: string },
  ) =>
    sendFormPage(
      request,
      reply,
      {
        title: 'Confirm that it is you',
        problem: state.problem,
        before: html`<p>You are signed in as <strong>${request.viewer.name}</strong>. What you want to change needs your password.</p>`,
        action: CONFIRM_PATH,
        fields: html`<input type="hidden" name="redirect_to" value="${state.redirectTo}">
<input type="hidden" name="user_name" value="${request.viewer.name}" autocomplete="username">
<label>Password <input name="password" type="password" autocomplete="current-password" autofocus required></label>`,
        button: 'Continue',
      },
      addresses,
    );

  app.get(CONFIRM_PATH, { config, schema }, async (request, reply) =>
    send(request, reply, { redirectTo: request.query.redirect_to ?? '' }),
  );

  app.post(CONFIRM_PATH, { config }, async (request, reply) => {
    const redirectTo = fieldOf(request, 'redirect_to');
    const { viewer, ip: address } = request;
    if (!isSignedIn(viewer)) throw new ForgeError({ kind: 'unauthenticated', what: 'sign in first' });
    try {
      const session = await browserSignIn.confirm(viewer, {
        password: fieldOf(request, 'password'),
        address,
      });
      setSession(reply, session, addresses);
      return reply.header('cache-control', 'no-store').redirect(localAddress(redirectTo, addresses), 303);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return send(request, reply, { redirectTo, problem });
    }
  });
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

/** Returns why a user cannot sign in, and sets the status of the response; undefined for a fault. */
function problemOf(error: unknown, reply: FastifyReply): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { failure } = error;
  switch (failure.kind) {
    case 'unauthenticated':
      reply.code(403);
      return 'The name or the password is wrong.';
    case 'too_many_attempts':
    case 'busy':
      reply.code(failure.kind === 'busy' ? 503 : 429).header('retry-after', failure.retryAfterSeconds);
      return 'Too many people sign in at the moment. Try again in some seconds.';
    case 'forbidden':
    case 'bad_request':
    case 'conflict':
    case 'invalid':
      reply.code(403);
      return `${failure.what.charAt(0).toUpperCase()}${failure.what.slice(1)}.`;
    default:
      return undefined;
  }
}
