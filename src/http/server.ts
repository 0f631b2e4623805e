import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { ForgeError } from '../base/core/failure.ts';
import { CLIENT_LEFT, FamiliarNetworks, RequestCaller, runFor } from '../base/core/fairness/caller.ts';
import { GIT_LIMITS } from '../git/limits.ts';
import type { Addresses, App } from './app.ts';
import { Bodies, boundBodies } from './bodies/bodies.ts';
import { inputCompiler } from './bodies/input.ts';
import { GIT_WIRE } from './errors/git.ts';
import { giteaWire } from './errors/gitea.ts';
import { LFS_WIRE } from './errors/lfs.ts';
import { NOTES_WIRE } from './errors/notes.ts';
import { OAUTH_WIRE } from './errors/oauth.ts';
import { OCS_WIRE } from './errors/ocs.ts';
import { sendNoPage, WEB_WIRE } from './errors/web.ts';
import { answerError, type Wire } from './errors/wire.ts';
import { restoreMethod, routeAsGet } from './heads.ts';
import { Hosts } from './hosts.ts';
import { HTTP_LIMITS } from './limits.ts';
import { type LogFormat, loggedError, logStream } from './log-lines.ts';
import type { Metrics } from './metrics.ts';
import { acceptPageForms } from './pages/forms.ts';
import { withoutLinkToken } from './pages/link-paths.ts';
import { compressPages } from './pages/page-compression.ts';
import { answeringInTurn, boundResponses, Responses } from './responses.ts';
import { serializerCompiler } from './serializers.ts';
import { API_CACHE_CONTROL, answerUnknownRoutes } from './unknown-routes.ts';
import { closeIfUnread } from './unread-bodies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** the wire of the route; set by `openWire` */
    wire?: WireName;
  }

  interface FastifyInstance {
    ownAddresses: Addresses;
  }

  interface FastifyRequest {
    /** shares bounded resources with other callers; `base/core/fairness/caller.ts` */
    caller: RequestCaller;
    /** what the route's operation found before the body arrived; undefined: nothing */
    begun: unknown;
  }
}

interface ServerOptions {
  readonly addresses: Addresses;
  readonly logLevel: string;
  /** JSON if absent */
  readonly logFormat?: LogFormat;
  /** addresses and networks of proxies whose X-Forwarded-For is trusted */
  readonly trustedProxies: readonly string[];
  /** names that requests may give as their host, besides the usual ones; in lower case */
  readonly allowedHosts: readonly string[];
  readonly metrics: Metrics;
  /** how long the server waits for a body that does not arrive */
  readonly bodyPatienceMs?: number;
  /** how long the server waits for a client that does not take its response */
  readonly responsePatienceMs?: number;
}

/**
 * Compilers that do nothing until a route is used. As options of the server, they apply to every scope, and Fastify
 * does not load its own compilers, which takes 45 ms. It declares these options with the types of its own compilers.
 */
const SCHEMA_CONTROLLER = {
  compilersFactory: { buildValidator: () => inputCompiler, buildSerializer: () => serializerCompiler },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

/** How the server treats the connections of its port. */
export const CONNECTION_OPTIONS = {
  maxHeaderSize: HTTP_LIMITS.headerBytesMax,
  headersTimeout: HTTP_LIMITS.headersMs,
  connectionsCheckingInterval: HTTP_LIMITS.connectionsCheckedEveryMs,
} as const;

/** Creates a server without routes, with everything that all routes share. `openWire` adds routes. */
export async function createServer(options: ServerOptions): Promise<App> {
  const gitea = giteaWire(options.addresses);
  const hosts = new Hosts(options.addresses, options.allowedHosts);
  const app = fastify({
    bodyLimit: HTTP_LIMITS.jsonBodyBytesMax,
    routerOptions: { maxParamLength: HTTP_LIMITS.pathParameterCharsMax },
    http: CONNECTION_OPTIONS,
    exposeHeadRoutes: false,
    rewriteUrl: (request) => {
      routeAsGet(request as IncomingMessage);
      return targetWithoutHost(request.url ?? '/');
    },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: SCHEMA_CONTROLLER,
    logger: loggerOptions(options),
    // `finishRequest` logs one line for each request.
    logController: new LogController({ disableRequestLogging: true }),
    // A URL that cannot be decoded reaches no route, and so not the error handler of a wire.
    frameworkErrors: (error, request, reply) => {
      restoreMethod(request.raw);
      const cause = hosts.problemOf(request.raw, request.originalUrl) ?? error;
      answerError(wireOf(request), cause, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as App;

  app.decorate('ownAddresses', options.addresses);
  app.decorate('pageFrame', null);
  acceptEmptyJsonBodies(app);
  beginRequests(app, { hosts, metrics: options.metrics });
  const bodies = new Bodies({ patienceMs: options.bodyPatienceMs ?? HTTP_LIMITS.bodyPatienceMs });
  boundBodies(app, bodies);
  options.metrics.gauge(
    'quire_http_body_bytes',
    'Bytes reserved for request bodies',
    () => bodies.bytesInFlight,
  );
  const responses = new Responses({
    patienceMs: options.responsePatienceMs ?? GIT_LIMITS.transferPatienceMs,
  });
  boundResponses(app, responses);
  options.metrics.gauge(
    'quire_http_response_bytes',
    'Bytes of responses in memory that clients have not read yet',
    () => responses.bytesInFlight,
  );
  app.setErrorHandler((error, request, reply) => answerError(gitea, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    closeIfUnread(request, reply);
    return sendNoPage(reply.code(404));
  });
  return app;
}

/** Removes the host from a target that is a whole address (RFC 9112, section 3.2.2): it is not trusted. */
function targetWithoutHost(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') || path === target ? path : `/${path}`;
}

type WireName = Wire['name'];

/** Fastify compares a plugin without a name with all loaded modules. */
const PLUGIN_NAME = Symbol.for('fastify.display-name');

/** Registers `routes` so that their errors have the form of this wire. */
export async function openWire(
  app: App,
  name: WireName,
  options: { addresses: Addresses; prefix: string },
  routes: (app: App) => void | Promise<void>,
): Promise<void> {
  const wire = wireNamed(name, options.addresses);
  const plugin = Object.assign(
    async (scope: FastifyInstance) => {
      scope.setErrorHandler((error, request, reply) => answerError(wire, error, request, reply));
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, wire: name };
      });
      if (name === 'gitea') {
        speakJson(scope as App);
        if (options.prefix !== '') answerUnknownRoutes(scope as App);
      }
      if (name === 'web' || name === 'oauth') {
        acceptPageForms(scope as App);
        compressPages(scope as App);
      }
      if (name !== 'git') refuseEncodedBodies(scope as App);
      await routes(scope as App);
    },
    { [PLUGIN_NAME]: `wire ${name}` },
  );
  await app.register(plugin, { prefix: options.prefix });
}

function speakJson(app: App): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const type = reply.getHeader('content-type');
    if (typeof payload !== 'string' || typeof type !== 'string' || !type.startsWith('application/json'))
      return done(null, payload);
    reply.header('content-type', 'application/json;charset=utf-8');
    done(null, payload.endsWith('\n') ? payload : `${payload}\n`);
  });
}

/** A small body can decompress into a large one. Only git needs compression, and its routes limit the result. */
function refuseEncodedBodies(app: App): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const what = 'send the body without a Content-Encoding';
    if (encoding === 'identity') done(null, payload);
    else done(new ForgeError({ kind: 'unsupported_media_type', what }));
  });
}

function wireNamed(name: WireName, addresses: Addresses): Wire {
  switch (name) {
    case 'gitea':
      return giteaWire(addresses);
    case 'git':
      return GIT_WIRE;
    case 'lfs':
      return LFS_WIRE;
    case 'notes':
      return NOTES_WIRE;
    case 'oauth':
      return OAUTH_WIRE;
    case 'ocs':
      return OCS_WIRE;
    case 'web':
      return WEB_WIRE;
  }
}

/** Returns the wire of a request, before its route handles it or without a route. */
function wireOf({ routeOptions, url, server }: FastifyRequest): Wire {
  return wireNamed(routeOptions.config.wire ?? wireOfPath(url), server.ownAddresses);
}

/** Chooses a wire for a path without a route. */
function wireOfPath(url: string): WireName {
  if (url.startsWith('/api/')) return 'gitea';
  if (/^(?:\/index\.php)?\/apps\/notes\/api\//.test(url)) return 'notes';
  if (/^\/[^/]+\/[^/]+\/info\/lfs(?:\/|$)/.test(url)) return 'lfs';
  return url.startsWith('/ocs/') ? 'ocs' : 'git';
}

/**
 * Clients send `Content-Type: application/json` without a body on DELETE and PUT: such a body is missing, not
 * malformed.
 */
function acceptEmptyJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}

/** A large body with a large response has eleven listeners for its end, and Node warns about more than ten. */
const RESPONSE_LISTENERS_MAX = 20;

/**
 * Begins and ends each request: what all routes share, in one hook and one listener. Runs the request for its caller,
 * so that any code below can ask for the caller's share.
 */
function beginRequests(app: App, { hosts, metrics }: { hosts: Hosts; metrics: Metrics }): void {
  const familiar = new FamiliarNetworks();
  const stopping = endConnectionsWhenStopping(app);
  app.decorateRequest('caller', null as unknown as RequestCaller);
  app.decorateRequest('begun', undefined);
  app.decorateRequest('longTexts', null);
  const begin = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    // A client that has reset its connection has no address any more.
    const address: string | undefined = request.ip;
    if (address === undefined) return drop(request, reply);
    request.caller = new RequestCaller(address, () => whenClientLeaves(reply), familiar, request.id);
    restoreMethod(request.raw);
    metrics.requestsRunning.inc();
    setCommonHeaders(request, reply);
    reply.raw.setMaxListeners(RESPONSE_LISTENERS_MAX);
    // If the client leaves, no response is ever sent. The end of the connection's exchange always comes.
    reply.raw.once('close', () => {
      finishRequest(metrics, request, reply);
      request.caller.end();
      if (stopping.isStopping) request.raw.socket.end();
    });
    const problem = hosts.problemOf(request.raw, request.originalUrl);
    if (problem === undefined) runFor(request.caller, done);
    else answerError(wireOf(request), problem, request, reply);
  };
  app.addHook('onRequest', answeringInTurn(begin));
  // The end of a body is an event of the connection, which belongs to no request.
  app.addHook('preValidation', (request, _reply, done) => runFor(request.caller, done));
}

/** Ends a request that has no client any more, before anything works on it. */
function drop(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/** Sets the headers of every response. At the start, because a request without access gets no further. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('x-frame-options', 'SAMEORIGIN');
  if (request.routeOptions.config.wire === 'gitea') reply.header('cache-control', API_CACHE_CONTROL);
}

function whenClientLeaves(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort(CLIENT_LEFT);
  else reply.raw.once('close', () => gone.abort(CLIENT_LEFT));
  return gone.signal;
}

/**
 * Closes connections that are busy when the server stops, after their response. The server itself closes only those
 * that are idle then, and a client that keeps a connection would delay the end until it times out.
 */
function endConnectionsWhenStopping(app: App): { isStopping: boolean } {
  const state = { isStopping: false };
  app.addHook('preClose', async () => {
    state.isStopping = true;
  });
  return state;
}

function finishRequest(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  metrics.requestsRunning.dec();
  const route = request.routeOptions.url ?? 'unknown';
  const status = reply.raw.statusCode;
  metrics.observeRequest({ method: request.method, route, status }, reply.elapsedTime / 1000);
  request.log.info(
    {
      method: request.method,
      path: pathOf(request.url),
      status,
      ms: Math.round(reply.elapsedTime),
      ip: request.ip,
    },
    'request',
  );
}

/** Removes the query, which may contain private data, and the tokens of links, for the log. */
function pathOf(url: string): string {
  const queryAt = url.indexOf('?');
  return withoutLinkToken(queryAt === -1 ? url : url.slice(0, queryAt));
}

function loggerOptions({ logLevel, logFormat = 'json' }: ServerOptions) {
  return {
    level: logLevel,
    stream: logStream(logFormat),
    serializers: { err: loggedError },
    redact: ['req.headers.authorization', 'headers.authorization'],
    base: null,
  };
}
