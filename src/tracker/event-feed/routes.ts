import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { EVENT } from './actions.ts';
import type { Cursors } from './cursors.ts';
import { acceptsEventStream, EVENT_STREAM_TYPE, eventStreamOf } from './event-stream.ts';
import type { FeedPage, FeedScope } from './model.ts';
import { afterOf, limitOf, waitMsOf } from './options.ts';
import { FeedPageAnswer } from './present.ts';
import { FeedQuery } from './schema.ts';
import type { EventFeed } from './service.ts';

interface Dependencies {
  readonly eventFeed: EventFeed;
  readonly cursors: Cursors;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

interface FeedCall {
  readonly viewer: Viewer;
  readonly query: { readonly cursor?: string; readonly limit?: number; readonly wait?: number };
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The event feed is not part of the reference. */
export function eventFeedRoutes(app: App, dependencies: Dependencies): void {
  const { eventFeed, accounts, organizations, repositories, addresses } = dependencies;
  app.addHook('preClose', async () => eventFeed.stop());
  const answer = (call: FeedCall, scope: FeedScope) => answerWith(dependencies, call, scope);
  const shared = {
    query: FeedQuery,
    answer: FeedPageAnswer,
    streams: EVENT_STREAM_TYPE,
    failures: ['invalid', 'expired', 'busy'],
  } as const;

  operationsOn(app, { tag: 'miscellaneous', addresses }).get('/events', EVENT.list, {
    ...shared,
    id: 'quireListEvents',
    summary: 'List what has happened on the server, as far as you may see it, or wait for it',
    handle: (call) => answer(call, { of: 'all' }),
  });

  operationsOn(app, { tag: 'repository', addresses }).get('/repos/:owner/:repo/events', EVENT.listIn, {
    ...shared,
    id: 'quireListEventsOfRepository',
    summary: 'List what has happened in a repository, or wait for it',
    async handle(call) {
      const { repository } = await repositories.get(call.viewer, call.path, EVENT.listIn);
      return answer(call, { of: 'repository', id: repository.id });
    },
  });

  operationsOn(app, { tag: 'organization', addresses }).get('/orgs/:org/events', EVENT.listOfOrganization, {
    ...shared,
    id: 'quireListEventsOfOrganization',
    summary: 'List what has happened in an organization and its repositories, or wait for it',
    async handle(call) {
      const { organization } = await organizations.get(
        call.viewer,
        call.params.org,
        EVENT.listOfOrganization,
      );
      return answer(call, { of: 'owner', id: organization.id });
    },
  });

  operationsOn(app, { tag: 'user', addresses }).get('/users/:username/events', EVENT.listOf, {
    ...shared,
    id: 'quireListEventsOfUser',
    summary: 'List what has happened to a user and in their repositories, or wait for it',
    failures: ['not_found', ...shared.failures],
    async handle(call) {
      const { id } = await accounts.getByName(call.viewer, call.params.username);
      return answer(call, { of: 'owner', id });
    },
  });
}

async function answerWith(
  { eventFeed, cursors }: Dependencies,
  { viewer, query, request, reply }: FeedCall,
  scope: FeedScope,
): Promise<FeedPage | FastifyReply> {
  const { accept } = request.headers;
  reply.header('vary', 'Accept');
  const isHead = request.method === 'HEAD';
  const limit = limitOf(query);
  if (!isHead && acceptsEventStream(accept)) {
    const after = afterOf(cursors, lastEventId(request) ?? query.cursor);
    const pages = await eventFeed.stream(viewer, { scope, after, limit });
    // A proxy must not hold events back.
    reply.headers({ 'content-type': EVENT_STREAM_TYPE, 'x-accel-buffering': 'no' });
    return reply.send(eventStreamOf(pages));
  }
  const asked = { scope, after: afterOf(cursors, query.cursor), limit };
  const waitMs = isHead ? 0 : waitMsOf(query);
  return waitMs === 0 ? eventFeed.read(viewer, asked) : eventFeed.wait(viewer, asked, waitMs);
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
