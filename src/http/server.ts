import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { ForgeError } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { Addresses, App } from './app.ts';
import { GIT_WIRE } from './errors/git.ts';
import { giteaWire } from './errors/gitea.ts';
import { NOTES_WIRE } from './errors/notes.ts';
import { OCS_WIRE } from './errors/ocs.ts';
import { answerError, type Wire } from './errors/wire.ts';
import { inputCompiler } from './input.ts';
import type { Metrics } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { serializerCompiler } from './serializers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** the wire the route was opened on; set by `openWire` */
    wire?: WireName;
  }
}

export interface ServerOptions {
  readonly addresses: Addresses;
  readonly version: string;
  readonly logLevel: string;
  /** addresses and networks of proxies whose X-Forwarded-For is believed */
  readonly trustedProxies: readonly string[];
  readonly metrics: Metrics;
}

/** Compilers that do nothing until a route is used. Set here, they hold in every scope. */
const SCHEMA_CONTROLLER = {
  compilersFactory: { buildValidator: () => inputCompiler, buildSerializer: () => serializerCompiler },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

const API_CACHE_CONTROL = 'max-age=0, private, must-revalidate, no-transform';

/** A server without routes: what all of them share. Wires are opened on it with `openWire`. */
export async function createServer(options: ServerOptions): Promise<App> {
  const gitea = giteaWire(options.addresses);
  const app = fastify({
    bodyLimit: LIMITS.jsonBodyBytesMax,
    routerOptions: { maxParamLength: LIMITS.pathParameterCharsMax },
    http: { maxHeaderSize: LIMITS.headerBytesMax },
    rewriteUrl: (request) => targetWithoutHost(request.url ?? '/'),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: SCHEMA_CONTROLLER,
    logger: loggerOptions(options.logLevel),
    // What is logged of a request is one line at its end, written below.
    logController: new LogController({ disableRequestLogging: true }),
    // A URL that cannot be decoded reaches no route, and so no wire's own error map.
    frameworkErrors: (error, request, reply) => {
      answerError(wireNamed(wireOfPath(request.url), options.addresses), error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as App;

  takeEmptyJsonBodies(app);
  watchRequests(app, options.metrics);
  endConnectionsWhenStopping(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    reply.header('x-frame-options', 'SAMEORIGIN');
    // Here, because who is refused at the door gets no further than this.
    if (request.routeOptions.config.wire === 'gitea') reply.header('cache-control', API_CACHE_CONTROL);
  });
  app.setErrorHandler((error, request, reply) => answerError(gitea, error, request, reply));
  app.setNotFoundHandler(answerUnknownRoute);
  await describeApi(app, options.version);
  return app;
}

/** A request may name a whole address as its target (RFC 9112, section 3.2.2); the host in it is nothing to go by. */
function targetWithoutHost(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') || path === target ? path : `/${path}`;
}

export type WireName = Wire['name'];

/** Registers `routes` so that their errors are told the way this wire tells them. */
export async function openWire(
  app: App,
  name: WireName,
  options: { addresses: Addresses; prefix: string },
  routes: (app: App) => void | Promise<void>,
): Promise<void> {
  const wire = wireNamed(name, options.addresses);
  await app.register(
    async (scope) => {
      scope.setErrorHandler((error, request, reply) => answerError(wire, error, request, reply));
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, wire: name };
      });
      if (name === 'gitea') speakJson(scope as App);
      if (name !== 'git') refuseEncodedBodies(scope as App);
      await routes(scope as App);
    },
    { prefix: options.prefix },
  );
}

function speakJson(app: App): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const type = reply.getHeader('content-type');
    if (typeof payload !== 'string' || typeof type !== 'string' || !type.startsWith('application/json'))
      return payload;
    reply.header('content-type', 'application/json;charset=utf-8');
    return payload.endsWith('\n') ? payload : `${payload}\n`;
  });
}

/** A small body that unfolds into a large one is of use only to git, whose routes bound what unfolds. */
function refuseEncodedBodies(app: App): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const what = 'send the body without a Content-Encoding';
    if (encoding === 'identity') done(null, payload);
    else done(new ForgeError({ kind: 'unsupported_media_type', what }));
  });
}

function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // What was not read of the body would be taken for the next request on this connection.
  if (!request.raw.complete) reply.header('connection', 'close');
  return reply.code(404).type('text/plain; charset=utf-8').send('404 page not found\n');
}

function wireNamed(name: WireName, addresses: Addresses): Wire {
  switch (name) {
    case 'gitea':
      return giteaWire(addresses);
    case 'git':
      return GIT_WIRE;
    case 'notes':
      return NOTES_WIRE;
    case 'ocs':
      return OCS_WIRE;
  }
}

/** The wire of a path that no route has. */
function wireOfPath(url: string): WireName {
  if (url.startsWith('/api/')) return 'gitea';
  if (/^(?:\/index\.php)?\/apps\/notes\/api\//.test(url)) return 'notes';
  return url.startsWith('/ocs/') ? 'ocs' : 'git';
}

/** Clients send `Content-Type: application/json` with no body on DELETE and PUT: that is no body, not a broken one. */
function takeEmptyJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}

function watchRequests(app: App, metrics: Metrics): void {
  app.addHook('onRequest', async (request, reply) => {
    metrics.requestsRunning.inc();
    reply.header('x-request-id', request.id);
    // A request whose client has gone away never gets a response, so the end of the exchange is what is watched.
    reply.raw.once('close', () => finishRequest(metrics, request, reply));
  });
}

/**
 * Idle connections are closed when the server stops. One that is answering then becomes idle only afterwards, and a
 * client that keeps it would keep the server from ending until it times out.
 */
function endConnectionsWhenStopping(app: App): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (isStopping) request.raw.socket.end();
    });
  });
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

/** Queries can carry what people meant to keep to themselves, so logs have the path alone. */
function pathOf(url: string): string {
  const queryAt = url.indexOf('?');
  return queryAt === -1 ? url : url.slice(0, queryAt);
}

function loggerOptions(level: string) {
  // Standard output is for what people asked to see.
  return {
    level,
    stream: process.stderr,
    redact: ['req.headers.authorization', 'headers.authorization'],
    base: null,
  };
}
