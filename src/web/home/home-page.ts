import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { SERVER } from '../../api/access/actions.ts';
import { whyNotByCredential } from '../../api/access/guard.ts';
import { isSignedIn, type SignedIn } from '../../api/access/viewer.ts';
import { ACCOUNT_REPOSITORIES } from '../../hosting/repositories/actions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { PagingQuery } from '../../http/paging.ts';
import { ACTIVITY } from '../../tracker/activities/actions.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import { type DashboardTools, dashboardPage } from './dashboard-page.ts';
import { helpPage } from './help-page.ts';
import { type StartPageTools, startPage } from './start-page.ts';

interface Dependencies extends DashboardTools, StartPageTools {
  readonly addresses: Addresses;
  readonly version: string;
}

const config = { action: SERVER.describe };

/** Registers the first page: what this server is for strangers, and the dashboard of a user. */
export function homePages(app: App, dependencies: Dependencies): void {
  const querystring = Type.Object({ ...PagingQuery, q: Type.Optional(Type.String()) });
  app.get('/', { config, schema: { querystring } }, async (request, reply) => {
    const viewer = userOf(request);
    const page =
      viewer === undefined
        ? await startPage(request.viewer, dependencies)
        : await dashboardPage(viewer, request.query, dependencies);
    return sendPage(reply, page);
  });

  app.get('/-/help', { config }, async (_request, reply) =>
    sendPage(reply, { title: 'Help', body: helpPage(dependencies.addresses, dependencies.version) }),
  );
}

/** What the dashboard shows. The route asks for no scope, because everyone may open the first page. */
const SHOWN = [ACCOUNT_REPOSITORIES.listRepositories, ACTIVITY.listOf, ISSUE.search];

function userOf({ viewer }: FastifyRequest): SignedIn | undefined {
  if (!isSignedIn(viewer)) return undefined;
  return SHOWN.every((action) => whyNotByCredential(viewer, action) === undefined) ? viewer : undefined;
}
