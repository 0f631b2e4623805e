import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForgeError, notFound } from '../base/core/failure.ts';
import type { App } from './app.ts';
import { methodsOf } from './heads.ts';

export const API_CACHE_CONTROL = 'max-age=0, private, must-revalidate, no-transform';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route only keeps other routes from matching its paths: they count as unknown. */
    isUnknown?: true;
  }
}

/** Groups of operations of the reference that this server lacks on purpose. */
const ABSENT: readonly { readonly paths: RegExp; readonly what: string }[] = [
  {
    paths:
      /^\/api\/v1\/(?:(?:(?:admin|user|orgs\/[^/]+|repos\/[^/]+\/[^/]+)\/)?actions|admin\/runners)(?:\/|$)/,
    what: 'actions',
  },
  { paths: /^\/api\/v1\/(?:user\/)?activitypub(?:\/|$)/, what: 'ActivityPub' },
  { paths: /^\/api\/v1\/packages(?:\/|$)/, what: 'packages' },
  { paths: /^\/api\/v1\/user\/applications\/oauth2(?:\/|$)/, what: 'OAuth2 applications' },
];

/**
 * Returns what to say about a path without a route, if the reference has operations there.
 *
 * @param path without the query
 */
function whyAbsent(path: string): string | undefined {
  const found = ABSENT.find(({ paths }) => paths.test(path));
  return found === undefined ? undefined : `Quire does not have ${found.what}.`;
}

/**
 * Answers requests below the prefix of `app` that match no route: 405 if the path has routes for other methods,
 * otherwise 404, which also says so if the path belongs to operations that the server lacks on purpose. Call this before any route is registered on `app`.
 */
export function answerUnknownRoutes(app: App): void {
  const table = new RouteTable(app);
  app.setNotFoundHandler((request, reply) => {
    reply.header('cache-control', API_CACHE_CONTROL);
    throw unknown(request, reply, table.methodsAt(pathOf(request)));
  });
}

function unknown(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): ForgeError {
  // The router also rejects paths with overlong parts, whatever their method.
  if (methods.length === 0 || methods.includes(request.method)) {
    const say = whyAbsent(pathOf(request));
    return say === undefined ? notFound('path') : notFound('path', { say });
  }
  const allowed = methods.join(', ');
  reply.header('allow', allowed);
  return new ForgeError({ kind: 'method_not_allowed', what: `this path only allows ${allowed}` });
}

function pathOf({ url }: FastifyRequest): string {
  const queryAt = url.indexOf('?');
  return queryAt === -1 ? url : url.slice(0, queryAt);
}

interface KnownRoute {
  readonly url: string;
  readonly methods: readonly string[];
}

/** The paths of all routes, to find the methods that a path has. Compiled with the first unknown request. */
class RouteTable {
  readonly #routes: KnownRoute[] = [];
  #patterns: readonly (readonly [RegExp, readonly string[]])[] | undefined;

  constructor(app: App) {
    app.addHook('onRoute', (route) => {
      if (route.config?.isUnknown !== true) this.#routes.push({ url: route.url, methods: methodsOf(route) });
    });
  }

  methodsAt(path: string): readonly string[] {
    this.#patterns ??= this.#routes.map(({ url, methods }) => [patternOf(url), methods] as const);
    const found = this.#patterns.filter(([pattern]) => pattern.test(path)).flatMap(([, methods]) => methods);
    return [...new Set(found)].sort();
  }
}

/** In a URL of a route, `:name` or `:name(^pattern)` is one segment, and `*` at the end is the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll(/[.+?^$()[\]{}|\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
