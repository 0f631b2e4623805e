import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { isFromAnotherSite } from '../../people/authentication/cross-site.ts';
import { APP_PASSWORD } from './actions.ts';
import { NOTES_ACCESS, sendDone, sendForm, sendOtherSite } from './form.ts';
import type { AppPassword } from './model.ts';
import type { DeviceSignIn, TypedCredentials } from './sign-in.ts';

interface Dependencies {
  readonly deviceSignIn: DeviceSignIn;
  readonly addresses: Addresses;
}

const config = { action: APP_PASSWORD.request };
const params = Type.Object({ token: Type.String() });
/** Some installations of the reference have the first prefix, others the second. Clients know both. */
const PREFIXES = ['/index.php', ''];

export function signInRoutes(app: App, dependencies: Dependencies): void {
  for (const prefix of PREFIXES) {
    pollingRoutes(app, `${prefix}/login/v2`, dependencies);
    pageRoutes(app, `${prefix}/login/v2/flow/:token`, dependencies);
    redirectRoutes(app, `${prefix}/login/flow`, dependencies);
  }
}

/** What the client sends: it starts a request, and asks until the user has granted it. */
function pollingRoutes(app: App, root: string, { deviceSignIn, addresses }: Dependencies): void {
  app.post(root, { config }, async (request, reply) => {
    const { pollToken, pageToken } = await deviceSignIn.start(userAgentOf(request));
    const { baseUrl } = addresses;
    return sendJson(reply, {
      poll: { token: pollToken, endpoint: `${baseUrl}/login/v2/poll` },
      login: `${baseUrl}/login/v2/flow/${pageToken}`,
    });
  });

  app.post(`${root}/poll`, { config }, async (request, reply) => {
    const granted = await deviceSignIn.poll(fieldOf(request, 'token'));
    if (granted === undefined) return sendJson(reply.code(404), []);
    const { loginName, password } = granted;
    return sendJson(reply, { server: addresses.baseUrl, loginName, appPassword: password });
  });
}

/** The page that the user opens. */
function pageRoutes(app: App, url: string, { deviceSignIn, addresses }: Dependencies): void {
  app.get(url, { config, schema: { params } }, async (request, reply) =>
    sendForm(reply, await deviceSignIn.find(request.params.token)),
  );

  app.post(url, { config, schema: { params } }, async (request, reply) => {
    const { baseUrl } = addresses;
    if (isFromAnotherSite(request, baseUrl))
      return sendOtherSite(reply, `${baseUrl}/login/v2/flow/${encodeURIComponent(request.params.token)}`);
    const { client } = await deviceSignIn.find(request.params.token);
    return answerForm(request, reply, client, async (typed) => {
      await deviceSignIn.grant(request.params.token, typed);
      const text = 'You can close this page and go back to your device.';
      return sendDone(reply, { title: 'The device is connected', text });
    });
  });
}

/** The older way, for clients that read the app password from the address of the next page. */
function redirectRoutes(app: App, url: string, { deviceSignIn, addresses }: Dependencies): void {
  app.get(url, { config }, async (request, reply) => {
    requireMeant(request);
    return sendForm(reply, { client: userAgentOf(request) });
  });

  app.post(url, { config }, async (request, reply) => {
    requireOwnSite(request, addresses);
    return answerForm(request, reply, userAgentOf(request), async (typed) => {
      const made = await deviceSignIn.signIn(typed);
      return reply.redirect(clientAddress(addresses, made), 303);
    });
  });
}

function clientAddress({ baseUrl }: Addresses, { loginName, password }: AppPassword): string {
  const parts = { server: baseUrl, user: loginName, password };
  const text = Object.entries(parts).map(([name, value]) => `${name}:${encodeURIComponent(value)}`);
  return `nc://login/${text.join('&')}`;
}

/** Shows the form again, with the reason, if the user cannot sign in. */
async function answerForm(
  request: FastifyRequest,
  reply: FastifyReply,
  client: string,
  work: (typed: TypedCredentials) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const typed = {
    login: fieldOf(request, 'user').trim(),
    password: fieldOf(request, 'password'),
    device: fieldOf(request, 'device').trim(),
    notesOnly: fieldOf(request, 'access') === NOTES_ACCESS,
    address: request.ip,
  };
  try {
    return await work(typed);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    const { login, notesOnly } = typed;
    return sendForm(reply.code(403), { client, problem, login, notesOnly });
  }
}

function problemOf(error: unknown): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { kind, what } = error.failure;
  if (kind === 'unauthenticated') return 'The name or the password is wrong.';
  return kind === 'forbidden' ? what : undefined;
}

/** @throws ForgeError `forbidden` for a form that a page of another site sent */
function requireOwnSite(request: FastifyRequest, { baseUrl }: Addresses): void {
  if (isFromAnotherSite(request, baseUrl))
    throw forbidden(`start again in the client that you want to connect, with the server ${baseUrl}`);
}

/** @throws ForgeError `forbidden` for a link that anyone may have made */
function requireMeant(request: FastifyRequest): void {
  if (request.headers['ocs-apirequest'] !== 'true')
    throw forbidden('open this page from the client that you want to connect');
}

function userAgentOf({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? '';
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(value);
}
