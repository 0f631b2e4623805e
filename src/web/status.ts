import { Type } from 'typebox';
import { SERVER } from '../api/access/actions.ts';
import { asIs } from '../api/operations/answers.ts';
import { operationsOn } from '../api/operations/operations.ts';
import { CORE_LIMITS } from '../base/core/limits.ts';
import { type Database, ping } from '../base/database/database.ts';
import { CONTENTS_LIMITS } from '../code/contents/limits.ts';
import { GIT_DATA_LIMITS } from '../code/git-data/limits.ts';
import type { Addresses, App } from '../http/app.ts';
import type { Metrics } from '../http/metrics.ts';
import type { MetricsAccess } from '../http/metrics-readers.ts';
import { requireMetricsAccess } from './metrics-access.ts';

const VersionAnswer = asIs(Type.Object({ version: Type.String() }, { $id: 'ServerVersion' }));
const SettingsAnswer = asIs(
  Type.Object(
    {
      max_response_items: Type.Integer(),
      default_paging_num: Type.Integer(),
      default_git_trees_per_page: Type.Integer(),
      default_max_blob_size: Type.Integer(),
    },
    { $id: 'GeneralAPISettings' },
  ),
);

/** Registers the routes by which API clients find out version and limits. */
export function describeRoutes(
  app: App,
  { apiVersion, addresses }: { apiVersion: string; addresses: Addresses },
): void {
  const api = operationsOn(app, { tag: 'miscellaneous', addresses });
  const settingsApi = operationsOn(app, { tag: 'settings', addresses });

  api.get('/version', SERVER.describe, {
    id: 'getVersion',
    summary: 'Get the version of the API, followed by that of the server',
    answer: VersionAnswer,
    handle: () => ({ version: apiVersion }),
  });

  settingsApi.get('/settings/api', SERVER.describe, {
    id: 'getGeneralAPISettings',
    summary: 'Get the limits of the API',
    answer: SettingsAnswer,
    handle: () => ({
      max_response_items: CORE_LIMITS.pageItemsMax,
      default_paging_num: CORE_LIMITS.pageItemsDefault,
      default_git_trees_per_page: GIT_DATA_LIMITS.treesPerPageDefault,
      default_max_blob_size: CONTENTS_LIMITS.contentsBlobBytesMax,
    }),
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
