import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { formToken } from '../../people/sessions/cookie.ts';
import { anchorOf } from '../../tracker/issues/discussion/comments/present.ts';
import { NOTIFICATION } from '../../tracker/notifications/actions.ts';
import { THREAD_STATUSES, type Thread, type ThreadStatus } from '../../tracker/notifications/model.ts';
import type { Notifications } from '../../tracker/notifications/service.ts';
import { repositoryPath } from '../addresses.ts';
import { signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { emptyHtml, pagerHtml, tabsHtml } from '../parts/lists.ts';
import { agoHtml } from '../parts/time.ts';
import { stateIcon } from './parts/state.ts';
import { issuePath, postForm } from './parts/view.ts';

interface Dependencies {
  readonly notifications: Notifications;
  readonly addresses: Addresses;
}

const PATH = '/notifications';
const READ_PATH = `${PATH}?q=read`;
const SEE_OTHER = 303;
const Query = Type.Object({ q: Type.Optional(Type.String()), page: Type.Optional(Type.String()) });
const NEW: readonly ThreadStatus[] = ['unread', 'pinned'];

/** Registers the page of the viewer's notifications, and its forms. */
export function notificationPages(app: App, dependencies: Dependencies): void {
  const { notifications, addresses } = dependencies;
  app.get(PATH, { config: { action: NOTIFICATION.read }, schema: { querystring: Query } }, (request, reply) =>
    sendList(request, reply, dependencies),
  );
  const config = { action: NOTIFICATION.change, isForm: true } as const;
  app.post(`${PATH}/status`, { config }, async (request, reply) => {
    const status = THREAD_STATUSES.find((each) => each === fieldOf(request, 'status'));
    const id = parseId(fieldOf(request, 'notification_id'));
    if (status === undefined || id === undefined) throw invalid('name a notification and its status');
    await notifications.mark(signedIn(request), id, status);
    const back = fieldOf(request, 'list') === 'read' ? READ_PATH : PATH;
    return reply.redirect(localAddress(back, addresses), SEE_OTHER);
  });
  app.post(`${PATH}/purge`, { config }, async (request, reply) => {
    await notifications.markAll(signedIn(request), { statuses: ['unread'] }, 'read');
    return reply.redirect(localAddress(PATH, addresses), SEE_OTHER);
  });
}

async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { notifications, addresses }: Dependencies,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const { q, page: text = '1' } = request.query as { q?: string; page?: string };
  const isRead = q === 'read';
  const page = parseId(text) ?? 1;
  const limit = WEB_LIMITS.notificationsPageItemsMax;
  const filter = { statuses: isRead ? (['read'] as const) : NEW };
  const { items, total } = await notifications.list(viewer, filter, { page, limit });
  const unread = await notifications.countUnread(viewer);
  const forms = { token: formToken(request, reply, addresses), list: isRead ? 'read' : '' };
  const all =
    unread === 0
      ? html``
      : postForm(forms, { action: `${PATH}/purge`, content: html`<button>Mark all as read</button>` });
  const rows =
    items.length === 0
      ? emptyHtml(
          isRead ? 'Nothing has been read' : 'Nothing new',
          'News of what you take part in and of repositories that you watch appear here.',
        )
      : html`<ul class="rows issues">
${items.map((thread) => rowOf(thread, forms))}</ul>`;
  const path = isRead ? READ_PATH : PATH;
  return sendPage(reply, {
    title: 'Notifications',
    hasForm: true,
    body: html`<div class="stack"><div class="row"><h1>Notifications</h1><span class="end">${all}</span></div>
${tabsHtml(
  'Notifications',
  [
    { path: PATH, words: 'New', count: unread },
    { path: READ_PATH, words: 'Read' },
  ],
  path,
)}<section class="box" aria-label="Notifications">${rows}</section>
${pagerHtml(path, { page, hasNext: page * limit < total })}</div>`,
  });
}

interface Forms {
  readonly token: string;
  /** the list to which a form leads back */
  readonly list: string;
}

function rowOf({ id, status, subject, repository: { repository }, updatedAt }: Thread, forms: Forms): Html {
  const { number, title, isPull, isClosed, isMerged, latestText } = subject;
  const issue = { repository, number, isPull };
  const page = latestText === null || isPull ? '' : `?comment=${latestText.entryId}`;
  const anchor = latestText === null ? '' : `${page}#${anchorOf(latestText.entryId)}`;
  const pull = isPull ? { mergedAt: isMerged ? updatedAt : null } : null;
  const where = `${repository.owner.name}/${repository.name}`;
  const form = (to: ThreadStatus, words: string) =>
    postForm(forms, {
      action: `${PATH}/status`,
      content: html`<input type="hidden" name="notification_id" value="${id}"><input type="hidden" name="list" value="${forms.list}"><button class="small" name="status" value="${to}">${words}<span class="sr-only">: ${title}</span></button>`,
    });
  const actions =
    status === 'read'
      ? form('unread', 'Mark as unread')
      : html`${form('read', 'Mark as read')}${status === 'pinned' ? html`` : form('pinned', 'Pin')}`;
  const pinned = status === 'pinned' ? html` <span class="badge">pinned</span>` : html``;
  return html`<li>${stateIcon({ pull, isClosed, title })}<div class="grow"><a class="subject" href="${issuePath(issue)}${anchor}">${title}</a>${pinned}
<div class="quiet small facts-line"><a href="${repositoryPath(repository)}">${where}</a><span>#${number}</span><span>${agoHtml(updatedAt)}</span></div></div><span class="end row">${actions}</span></li>
`;
}
