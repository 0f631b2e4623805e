import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isSignedIn, type SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import type { Addresses, App } from '../../http/app.ts';
import { readCookie, setCookie } from '../../http/pages/cookies.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { APP_PASSWORD } from './actions.ts';
import { NOTES_ACCESS, sendDone, sendForm } from './form.ts';
import { PLATFORM_LIMITS } from './limits.ts';
import type { AppPassword } from './model.ts';
import { type DeviceChoice, type DeviceSignIn, requireOwner } from './sign-in.ts';

interface Dependencies {
  readonly deviceSignIn: DeviceSignIn;
  readonly addresses: Addresses;
}

const config = { action: APP_PASSWORD.request };
const granting = { action: APP_PASSWORD.grant, isForm: true } as const;
/** of the addresses that clients open themselves */
const CLIENT_SCHEME = 'nc:';
/** Set in a browser in which a client has opened the page of the older flow. It grants nothing. */
const MEANT = { name: 'quire_client', maxAgeSeconds: PLATFORM_LIMITS.signInRequestMs / 1000 } as const;
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

/** The page that the user opens. Users who have not signed in yet are sent to the sign-in page, which leads back. */
function pageRoutes(app: App, url: string, { deviceSignIn, addresses }: Dependencies): void {
  app.get(url, { config, schema: { params } }, async (request, reply) => {
    const { client } = await deviceSignIn.find(request.params.token);
    return sendForm(request, reply, { client, viewer: ownerOf(request) }, addresses);
  });

  app.post(url, { config: granting, schema: { params } }, async (request, reply) => {
    await deviceSignIn.grant(signedIn(request), request.params.token, choiceOf(request));
    const text = 'You can close this page and go back to your device.';
    return sendDone(reply, { title: 'The device is connected', text });
  });
}

/** The older flow, for clients that read the app password from the address of the next page. */
function redirectRoutes(app: App, url: string, { deviceSignIn, addresses }: Dependencies): void {
  app.get(url, { config }, async (request, reply) => {
    requireMeant(request, addresses);
    setCookie(reply, MEANT, 'true', addresses);
    const state = { client: userAgentOf(request), viewer: ownerOf(request), formLeadsTo: CLIENT_SCHEME };
    return sendForm(request, reply, state, addresses);
  });

  app.post(url, { config: granting }, async (request, reply) => {
    requireMeant(request, addresses);
    const made = await deviceSignIn.connect(signedIn(request), choiceOf(request));
    return reply.header('cache-control', 'no-store').redirect(clientAddress(addresses, made), 303);
  });
}

function clientAddress({ baseUrl }: Addresses, { loginName, password }: AppPassword): string {
  const parts = { server: baseUrl, user: loginName, password };
  const text = Object.entries(parts).map(([name, value]) => `${name}:${encodeURIComponent(value)}`);
  return `${CLIENT_SCHEME}//login/${text.join('&')}`;
}

/** @throws ForgeError as `signedIn` and `requireOwner` */
function ownerOf(request: FastifyRequest): SignedIn {
  const viewer = signedIn(request);
  requireOwner(viewer);
  return viewer;
}

/** @throws ForgeError `unauthenticated`, which leads a browser to the sign-in page */
function signedIn({ viewer }: FastifyRequest): SignedIn {
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in first' });
}

function choiceOf(request: FastifyRequest): DeviceChoice {
  return {
    device: fieldOf(request, 'device').trim(),
    notesOnly: fieldOf(request, 'access') === NOTES_ACCESS,
  };
}

/**
 * Requires that a client has opened the page: it says so in a header, which no page of another site can send. The browser
 * sends the header only once, and a cookie after the sign-in.
 *
 * @throws ForgeError `forbidden` for a link that anyone may have made
 */
function requireMeant(request: FastifyRequest, addresses: Addresses): void {
  const isMeant =
    request.headers['ocs-apirequest'] === 'true' || readCookie(request, MEANT, addresses) !== undefined;
  if (!isMeant) throw forbidden('open this page from the client that you want to connect');
}

function userAgentOf({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? '';
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(value);
}
