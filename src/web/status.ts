import { Type } from 'typebox';
import { SERVER } from '../api/access/actions.ts';
import { asIs } from '../api/operations/answers.ts';
import { operationsOn } from '../api/operations/operations.ts';
import { type Database, ping } from '../base/database/database.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Metrics } from '../http/metrics.ts';
import type { MetricsAccess } from '../http/metrics-readers.ts';
import { requireMetricsAccess } from './metrics-access.ts';

const VersionAnswer = asIs(Type.Object({ version: Type.String() }, { $id: 'ServerVersion' }));
/** Registers the route by which API clients find out the version. */
export function describeRoutes(
  app: App,
  { apiVersion, addresses }: { apiVersion: string; addresses: Addresses },
): void {
  const api = operationsOn(app, { tag: 'miscellaneous', addresses });

  api.get('/version', SERVER.describe, {
    id: 'getVersion',
    summary: 'Get the version of the API, followed by that of the server',
    answer: VersionAnswer,
    handle: () => ({ version: apiVersion }),
  });
}

/** Keeps unknown paths of the API from matching the pages of repositories. */
export function reserveApiPaths(app: App): void {
  for (const url of ['', '/*']) {
    app.get(
      url,
      { config: { action: SERVER.describe, isUnknown: true }, schema: { hide: true } },
      (_request, reply) => reply.callNotFound(),
    );
  }
}

const config = { action: SERVER.describe };

/** Registers the routes for monitoring. */
export function statusRoutes(
  app: App,
  {
    database,
    metrics,
    metricsAccess,
  }: { database: Database; metrics: Metrics; metricsAccess: MetricsAccess },
): void {
  app.get('/api/healthz', { config }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      await ping(database);
    } catch (error) {
      request.log.error({ err: error }, 'the database does not respond');
      return reply.code(503).send({ status: 'fail', checks: { database: 'fail' } });
    }
    return { status: 'pass', checks: { database: 'pass' } };
  });

  app.get('/metrics', { config }, async (request, reply) => {
    requireMetricsAccess(request, metricsAccess);
    reply.header('cache-control', 'no-store').type(metrics.contentType);
    return metrics.text();
  });
}
