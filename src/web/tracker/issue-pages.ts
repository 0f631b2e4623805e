import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import type { IssuePath } from '../../tracker/issues/access.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import { issueAddresses } from '../../tracker/issues/present.ts';
import type { Notifications } from '../../tracker/notifications/service.ts';
import { WEB_LIMITS } from '../limits.ts';
import { viewOf } from './parts/view.ts';
import { type ThreadServices, threadPage } from './thread-page.ts';

interface Dependencies extends ThreadServices {
  readonly notifications: Pick<Notifications, 'readIssue'>;
  readonly addresses: Addresses;
}

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), number: Type.String() });
const Query = Type.Object({ page: Type.Optional(Type.String()), comment: Type.Optional(Type.String()) });
const SEE_OTHER = 303;

/** Registers the pages of issues, to which their records link. */
export function issuePages(app: App, dependencies: Dependencies): void {
  app.get(
    '/:owner/:repo/issues/:number',
    { config: { action: ISSUE.read }, schema: { params: Params, querystring: Query } },
    (request, reply) => sendThread(request, reply, dependencies),
  );
}

async function sendThread(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const { addresses, issues } = dependencies;
  const { owner, repo, number } = request.params as { owner: string; repo: string; number: string };
  const path = { repository: { owner, name: repo }, number };
  const { issue, permitted } = await issues.open(request.viewer, path);
  if (issue.isPull) return reply.redirect(issueAddresses(issue, addresses).htmlUrl, SEE_OTHER);
  const { viewer } = request;
  // Programs read issues for other reasons than a person who opens a page.
  if (isSignedIn(viewer) && viewer.credential === 'session')
    await dependencies.notifications.readIssue(viewer, issue.id);
  const view = viewOf(request, reply, { permitted, addresses });
  const page = await pageOf(request, path, dependencies);
  return sendPage(reply, await threadPage(view, issue, { page, services: dependencies }));
}

/** Returns the page that the address names: by its number, or by a comment on it. */
async function pageOf(
  { viewer, query }: FastifyRequest,
  path: IssuePath,
  { timelines }: Dependencies,
): Promise<number> {
  const { page = '1', comment = '' } = query as { page?: string; comment?: string };
  const entryId = parseId(comment);
  if (entryId === undefined) return parseId(page) ?? 1;
  return timelines.pageWith(viewer, path, { entryId, limit: WEB_LIMITS.threadEntriesMax });
}
