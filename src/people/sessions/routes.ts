import type { SignedIn } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Page } from '../../base/core/paging.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from '../accounts/actions.ts';
import { SESSION } from './actions.ts';
import type { Session } from './model.ts';
import { type ListedSession, listed, SessionAnswer } from './present.ts';
import type { Sessions } from './service.ts';

interface Dependencies {
  readonly sessions: Sessions;
  readonly addresses: Addresses;
}

export function sessionRoutes(app: App, dependencies: Dependencies): void {
  ownRoutes(app, dependencies);
  administrationRoutes(app, dependencies);
}

function ownRoutes(app: App, { sessions, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.list('/user/sessions', SESSION.list, {
    id: 'userListSessions',
    summary: 'List the browsers in which you are signed in, the most recently used first',
    answer: SessionAnswer,
    handle: async ({ viewer, paging }) => listedPage(await sessions.list(viewer, paging), viewer),
  });

  api.delete('/user/sessions', SESSION.end, {
    id: 'userEndOtherSessions',
    summary: 'Sign out of all browsers, except the one that sends this',
    handle: ({ viewer }) => sessions.endOthers(viewer),
  });

  api.delete('/user/sessions/:id', SESSION.end, {
    id: 'userEndSession',
    summary: 'Sign out of a browser',
    failures: ['not_found'],
    handle: ({ viewer, params }) => sessions.end(viewer, params.id),
  });
}

function administrationRoutes(app: App, { sessions, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.list('/admin/users/:username/sessions', SITE.listAccounts, {
    id: 'adminListUserSessions',
    summary: 'List the browsers in which a user is signed in',
    failures: ['invalid'],
    answer: SessionAnswer,
    handle: async ({ viewer, params, paging }) =>
      listedPage(await sessions.listOf(viewer, params.username, paging), viewer),
  });

  api.delete('/admin/users/:username/sessions', SITE.editAccount, {
    id: 'adminEndUserSessions',
    summary: 'Sign a user out of all browsers, and end what was granted to OAuth2 applications',
    failures: ['invalid'],
    handle: ({ viewer, params }) => sessions.endAllOf(viewer, params.username),
  });

  api.delete('/admin/users/:username/sessions/:id', SITE.editAccount, {
    id: 'adminEndUserSession',
    summary: 'Sign a user out of a browser',
    failures: ['invalid'],
    handle: ({ viewer, params }) => sessions.endOf(viewer, params.username, params.id),
  });
}

function listedPage({ items, total }: Page<Session>, viewer: SignedIn): Page<ListedSession> {
  return { items: items.map((session) => listed(session, viewer)), total };
}
