import { Type } from 'typebox';
import { isSignedIn } from '../../../api/access/viewer.ts';
import { isFailure, notFound } from '../../../base/core/failure.ts';
import { parseId } from '../../../base/core/text/ids.ts';
import type { App } from '../../../http/app.ts';
import { localAddress } from '../../../http/pages/local-address.ts';
import { sendPage } from '../../../http/pages/page.ts';
import type { Issues } from '../../../tracker/issues/service.ts';
import type { Notifications } from '../../../tracker/notifications/service.ts';
import { PULL } from '../../../tracker/pulls/actions.ts';
import { repositoryPath } from '../../addresses.ts';
import { signedIn } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { DiffQuery, diffLookOf } from '../../parts/diff/look.ts';
import { issuePath } from '../parts/view.ts';
import { commitsPage } from './commits-page.ts';
import { conversationPage } from './conversation-page.ts';
import { editPage } from './edit-page.ts';
import { filesPage } from './files-page.ts';
import { pullListPage } from './list-page.ts';
import { newPullPages } from './new-pull-pages.ts';
import { pullForms } from './pull-forms.ts';
import { reviewForms } from './reviewing/review-forms.ts';
import type { PullTools } from './tools.ts';
import { namedPull, openPull, pathOf, pullPath } from './view.ts';

const Text = Type.Optional(Type.String());
const InRepository = Type.Object({ owner: Type.String(), repo: Type.String() });
const Params = Type.Object({ ...InRepository.properties, number: Type.String() });
const Paged = Type.Object({ page: Text });
const ThreadFields = Type.Object({ page: Text, comment: Text });
const ListFields = Type.Object({
  page: Text,
  state: Text,
  q: Text,
  sort: Text,
  labels: Text,
  milestones: Text,
  created_by: Text,
  assigned_by: Text,
  mentioned_by: Text,
  base: Text,
  head: Text,
});
const FilesFields = Type.Object({ ...DiffQuery, comment: Text, suggest: Text });
const config = { action: PULL.read } as const;
const THREAD = { action: PULL.readThread } as const;
const PAGE = '/:owner/:repo/pulls/:number';
const SEE_OTHER = 303;

/** Registers the pages of pull requests, and their forms. */
export function pullPages(
  app: App,
  tools: PullTools & { readonly issues: Issues; readonly notifications: Pick<Notifications, 'readIssue'> },
): void {
  app.get(
    '/:owner/:repo/pulls',
    { config: THREAD, schema: { params: InRepository, querystring: ListFields } },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const { page, ...fields } = request.query;
      const query = { ...fields, page: pageOf(page) };
      const asked = { path: { owner, name: repo }, query, tools };
      return sendPage(reply, await pullListPage(request, reply, asked));
    },
  );

  app.get(
    PAGE,
    { config: THREAD, schema: { params: Params, querystring: ThreadFields } },
    async (request, reply) => {
      const view = await openPull(request, reply, tools).catch(async (error) => {
        if (!isFailure(error, 'not_found')) throw error;
        // The number may be that of an issue.
        const issue = await tools.issues.get(request.viewer, namedPull(request));
        if (issue.isPull) throw error;
        return issue;
      });
      if (!('pull' in view && 'rights' in view))
        return reply.redirect(localAddress(issuePath(view), tools.addresses), SEE_OTHER);
      const { viewer, query } = request;
      // Programs read pull requests for other reasons than a person who opens a page.
      if (isSignedIn(viewer) && viewer.credential === 'session')
        await tools.notifications.readIssue(viewer, view.pull.issue.id);
      const entryId = parseId(query.comment ?? '');
      const wanted = { entryId: entryId ?? 0, limit: WEB_LIMITS.threadEntriesMax };
      const number =
        entryId === undefined
          ? pageOf(query.page)
          : await tools.timelines.pageWith(viewer, pathOf(view.pull), wanted);
      return sendPage(reply, await conversationPage(view, number, tools));
    },
  );

  app.get(
    `${PAGE}/commits`,
    { config, schema: { params: Params, querystring: Paged } },
    async (request, reply) => {
      const view = await openPull(request, reply, tools);
      return sendPage(reply, await commitsPage(view, pageOf(request.query.page), tools));
    },
  );

  app.get(
    `${PAGE}/files`,
    { config, schema: { params: Params, querystring: FilesFields } },
    async (request, reply) => {
      const { query } = request;
      const view = await openPull(request, reply, tools);
      const asked = {
        look: diffLookOf(query),
        comment: query.comment ?? '',
        suggests: (query.suggest ?? '') !== '',
      };
      return sendPage(reply, await filesPage(view, asked, tools));
    },
  );

  app.get(
    `${PAGE}/edit`,
    { config: { action: PULL.change }, schema: { params: Params } },
    async (request, reply) => {
      const view = await openPull(request, reply, tools);
      signedIn(request);
      return sendPage(reply, editPage(view));
    },
  );

  otherAddresses(app, tools);
  pullForms(app, tools);
  reviewForms(app, tools);
  newPullPages(app, tools);
}

const FORMS: ReadonlySet<string> = new Set([
  'draft',
  'cleanup',
  'restore',
  'merge',
  'cancel_auto_merge',
  'update',
  'request_review',
]);

const COMMIT_PATH = /^commits\/([0-9a-f]{4,64})$/;

/**
 * Leads to the page of a form where a browser is after its user has signed in, and to the page of a commit from its
 * address below the pull request.
 */
function otherAddresses(app: App, { pulls, addresses }: PullTools): void {
  const params = Type.Object({ ...Params.properties, '*': Type.String() });
  app.get(`${PAGE}/*`, { config, schema: { params } }, async (request, reply) => {
    const { '*': form } = request.params;
    const [, commit] = COMMIT_PATH.exec(form) ?? [];
    const isOfFiles = form.startsWith('files/reviews/');
    if (commit === undefined && !isOfFiles && !FORMS.has(form)) throw notFound('page');
    const pull = await pulls.get(request.viewer, namedPull(request));
    const path = pullPath(pull);
    const page =
      commit !== undefined
        ? `${repositoryPath(pull.base.repository)}/commit/${commit}`
        : isOfFiles
          ? `${path}/files`
          : path;
    return reply.redirect(localAddress(page, addresses), SEE_OTHER);
  });
}

function pageOf(text: string | undefined): number {
  return parseId(text ?? '1') ?? 1;
}
