import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { deleteCookie, readCookie, setCookie } from '../../http/pages/cookies.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import { EXTERNAL } from '../../people/external/actions.ts';
import { EXTERNAL_LIMITS } from '../../people/external/limits.ts';
import type { Newcomer } from '../../people/external/model.ts';
import type { ExternalSignIn } from '../../people/external/service.ts';
import { setSession } from '../../people/sessions/cookie.ts';
import type { Browser, StartedSession } from '../../people/sessions/model.ts';
import { formHtml, problemHtml, sendFormsPage, sentence } from '../forms/form-parts.ts';
import { LINK_PATH, linkForm, NEWCOMER, newcomerSecret } from './newcomer.ts';

interface Dependencies {
  readonly externalSignIn: ExternalSignIn;
  readonly addresses: Addresses;
}

/** What the browser keeps while its user is at a provider. */
const BEGUN = { name: 'quire_external', maxAgeSeconds: EXTERNAL_LIMITS.signInMs / 1000 };
const START_PATH = '/user/oauth2/:provider';
const params = Type.Object({ provider: Type.String() });

/** Registers the pages on which a person signs in at another server, and chooses an account after the first time. */
export function externalPages(app: App, dependencies: Dependencies): void {
  startPage(app, dependencies);
  returnPage(app, dependencies);
  newcomerPage(app, dependencies);
}

function startPage(app: App, { externalSignIn, addresses }: Dependencies): void {
  const config = { action: EXTERNAL.signIn };
  const querystring = Type.Object({ redirect_to: Type.Optional(Type.String()) });
  app.get(START_PATH, { config, schema: { params, querystring } }, async (request, reply) => {
    const { provider } = request.params;
    const redirectTo = request.query.redirect_to ?? '';
    return orProblem(request, reply, addresses, async () => {
      const started = await externalSignIn.start(provider, { redirectTo, viewer: request.viewer });
      setCookie(reply, BEGUN, started.cookie, addresses);
      return reply.header('cache-control', 'no-store').redirect(started.url.href, 303);
    });
  });
}

/** The page to which a provider sends the browser back. */
function returnPage(app: App, { externalSignIn, addresses }: Dependencies): void {
  app.get(
    `${START_PATH}/callback`,
    { config: { action: EXTERNAL.signIn }, schema: { params } },
    async (request, reply) =>
      orProblem(request, reply, addresses, async () => {
        const cookie = readCookie(request, BEGUN, addresses) ?? '';
        // It answers one question only, whether the sign-in works or not.
        if (cookie !== '') deleteCookie(reply, BEGUN, addresses);
        const { viewer } = request;
        const query = request.url.slice(request.url.indexOf('?') + 1);
        const browser = browserOf(request);
        const step = await externalSignIn.finish(request.params.provider, { query, cookie, browser, viewer });
        if (step.kind === 'done') return enter(reply, step, addresses);
        setCookie(reply, NEWCOMER, step.secret, addresses);
        return reply.header('cache-control', 'no-store').redirect(localAddress(LINK_PATH, addresses), 303);
      }),
  );
}

function newcomerPage(app: App, { externalSignIn, addresses }: Dependencies): void {
  const config = { action: EXTERNAL.signIn, isForm: true } as const;

  app.get(LINK_PATH, { config }, async (request, reply) =>
    orProblem(request, reply, addresses, async () => {
      const newcomer = await find(request);
      const name = await externalSignIn.proposeName(newcomer);
      return send(request, reply, newcomer, { name });
    }),
  );

  app.post(LINK_PATH, { config }, async (request, reply) =>
    orProblem(request, reply, addresses, async () => {
      const newcomer = await find(request);
      const name = fieldOf(request, 'user_name').trim();
      try {
        const secret = newcomerSecret(request, addresses);
        const created = await externalSignIn.create(secret, name, browserOf(request));
        deleteCookie(reply, NEWCOMER, addresses);
        return enter(reply, created, addresses);
      } catch (error) {
        const problem = nameProblemOf(error);
        if (problem === undefined) throw error;
        return send(request, reply.code(422), newcomer, { name, problem });
      }
    }),
  );

  const find = async (request: FastifyRequest): Promise<Newcomer> => {
    const found = await externalSignIn.findNewcomer(newcomerSecret(request, addresses));
    if (found !== undefined) return found;
    throw new ForgeError({ kind: 'expired', what: 'the sign-in has ended: start again' });
  };

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    newcomer: Newcomer,
    state: { readonly name: string; readonly problem?: string },
  ): FastifyReply => {
    const provider = externalSignIn.providers.find(({ name }) => name === newcomer.provider);
    const at = provider?.displayName ?? newcomer.provider;
    const title = `Your first sign-in with ${at}`;
    if (isSignedIn(request.viewer)) {
      const body = linkForm(request, reply, { newcomer, displayName: at, addresses });
      return sendFormsPage(reply, { title, body });
    }
    const signIn = html`<h2>You have an account</h2>
<p>Sign in to it once in another way, and then link it with your account at ${at}.</p>
<p><a class="button" href="${addresses.baseUrl}${SIGN_IN_PATH}?redirect_to=${encodeURIComponent(LINK_PATH)}">Sign in to link</a></p>`;
    const email =
      newcomer.user.email === ''
        ? html``
        : html`<p>Your e-mail address at ${at} is ${newcomer.user.email}.</p>`;
    const create = html`<h2>You are new here</h2>
${problemHtml(state.problem)}${email}
${formHtml(
  request,
  reply,
  {
    action: LINK_PATH,
    fields: html`<label>Name of your account <input name="user_name" value="${state.name}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="${ACCOUNT_LIMITS.nameCharsMax}" required></label>`,
    button: 'Create account',
  },
  addresses,
)}`;
    const isOpen = provider !== undefined && provider.createAccounts !== 'never';
    return sendFormsPage(reply, {
      title,
      body: html`${isOpen ? create : html``}
${signIn}`,
    });
  };
}

function enter(
  reply: FastifyReply,
  { session, redirectTo }: { readonly session: StartedSession; readonly redirectTo: string },
  addresses: Addresses,
): FastifyReply {
  setSession(reply, session, addresses);
  return reply.header('cache-control', 'no-store').redirect(localAddress(redirectTo, addresses), 303);
}

function browserOf(request: FastifyRequest): Browser {
  return { userAgent: request.headers['user-agent'] ?? '', address: request.ip, isRemembered: false };
}

function nameProblemOf(error: unknown): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { kind, what } = error.failure;
  if (kind === 'already_exists') return sentence(what);
  return kind === 'invalid'
    ? 'A name has letters and digits, with single -, _ or . between them, and some names are reserved.'
    : undefined;
}

const PROBLEM_STATUS: Readonly<Record<string, number>> = {
  bad_request: 400,
  forbidden: 403,
  conflict: 409,
  expired: 410,
  busy: 503,
  unauthenticated: 403,
};

/** Shows the sentence of a failure on a page that leads back to the sign-in. */
async function orProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: Addresses,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof ForgeError ? error.failure : undefined;
    const status = failure === undefined ? undefined : PROBLEM_STATUS[failure.kind];
    if (failure === undefined || status === undefined) throw error;
    logCause(request, error);
    if (failure.kind === 'busy') reply.header('retry-after', failure.retryAfterSeconds);
    const body = html`${problemHtml(sentence(failure.what))}
<p><a href="${addresses.baseUrl}${SIGN_IN_PATH}">Back to the sign-in</a></p>`;
    return sendFormsPage(reply.code(status), { title: 'You are not signed in', body });
  }
}

/** Logs what an operator needs to find a mistake in the settings: codes of the library, without tokens and claims. */
function logCause(request: FastifyRequest, error: unknown): void {
  const codes: unknown[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause) codes.push(cause.code);
  if (codes.length > 0) request.log.warn({ codes }, 'a sign-in at a provider failed');
}
