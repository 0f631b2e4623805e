import { listOf } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { NOTIFICATION } from './actions.ts';
import { markFilterOf, threadFilterOf, toStatusOf } from './options.ts';
import { CountAnswer, ThreadAnswer } from './present.ts';
import { MarkQuery, ThreadQuery, ToStatusQuery } from './schema.ts';
import type { Notifications } from './service.ts';

const ALL_URL = '/notifications';
const THREAD_URL = `${ALL_URL}/threads/:id` as const;
const REPOSITORY_URL = '/repos/:owner/:repo/notifications';

interface Dependencies {
  readonly notifications: Notifications;
  readonly addresses: Addresses;
}

export function notificationRoutes(app: App, { notifications, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'notification', addresses });
  const { required } = preconditionsOn(ThreadAnswer, addresses);

  api.list(ALL_URL, NOTIFICATION.read, {
    id: 'notifyGetList',
    isTagged: true,
    summary: 'List your notifications, the latest first',
    failures: ['invalid'],
    query: ThreadQuery,
    answer: ThreadAnswer,
    handle: ({ viewer, query, paging }) => notifications.list(viewer, threadFilterOf(query), paging),
  });

  api.put(ALL_URL, NOTIFICATION.change, {
    id: 'notifyReadList',
    summary: 'Mark your notifications as read, unread or pinned',
    failures: ['bad_request'],
    query: MarkQuery,
    status: 205,
    answer: listOf(ThreadAnswer),
    handle: ({ viewer, query }) => notifications.markAll(viewer, markFilterOf(query), toStatusOf(query)),
  });

  api.get(`${ALL_URL}/new`, NOTIFICATION.read, {
    id: 'notifyNewAvailable',
    isTagged: true,
    summary: 'Count your unread notifications',
    answer: CountAnswer,
    handle: ({ viewer }) => notifications.countUnread(viewer),
  });

  api.get(THREAD_URL, NOTIFICATION.read, {
    id: 'notifyGetThread',
    isTagged: true,
    summary: 'Get one of your notifications',
    failures: ['not_found', 'forbidden'],
    answer: ThreadAnswer,
    handle: ({ viewer, params }) => notifications.get(viewer, params.id),
  });

  api.patch(THREAD_URL, NOTIFICATION.change, {
    id: 'notifyReadThread',
    summary: 'Mark one of your notifications as read, unread or pinned',
    failures: ['not_found', 'forbidden', 'precondition_failed'],
    query: ToStatusQuery,
    status: 205,
    answer: ThreadAnswer,
    handle: ({ viewer, params, query, request }) =>
      notifications.mark(viewer, params.id, toStatusOf(query), required(request)),
  });

  api.list(REPOSITORY_URL, NOTIFICATION.readIn, {
    id: 'notifyGetRepoList',
    isTagged: true,
    summary: 'List your notifications about a repository, the latest first',
    failures: ['invalid'],
    query: ThreadQuery,
    answer: ThreadAnswer,
    handle: ({ viewer, path, query, paging }) =>
      notifications.listIn(viewer, path, threadFilterOf(query), paging),
  });

  api.put(REPOSITORY_URL, NOTIFICATION.changeIn, {
    id: 'notifyReadRepoList',
    summary: 'Mark your notifications about a repository as read, unread or pinned',
    failures: ['bad_request'],
    query: MarkQuery,
    status: 205,
    answer: listOf(ThreadAnswer),
    handle: ({ viewer, path, query }) =>
      notifications.markAllIn(viewer, path, markFilterOf(query), toStatusOf(query)),
  });
}
