import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { answerGo, isForGo } from '../code/go-get.ts';
import { issueListPages } from './issue-list-pages.ts';
import { issuePages } from './issue-pages.ts';
import { labelPages } from './label-pages.ts';
import { milestonePages } from './milestone-pages.ts';
import { newIssuePages } from './new-issue-pages.ts';
import { notificationPages } from './notification-pages.ts';
import { ownPages } from './own-pages.ts';
import { pullPages } from './pulls/pull-pages.ts';
import { releaseFormPages } from './release-form-pages.ts';
import { releasePages } from './release-pages.ts';
import { threadForms } from './thread-forms.ts';
import { threadTextForms } from './thread-text-forms.ts';
import { uploadPages } from './upload-pages.ts';
import { wikiFormPages } from './wiki/form-pages.ts';
import { wikiPages } from './wiki/pages.ts';

type Dependencies = Parameters<typeof issueListPages>[1] &
  Parameters<typeof newIssuePages>[1] &
  Parameters<typeof issuePages>[1] &
  Parameters<typeof threadForms>[1] &
  Parameters<typeof threadTextForms>[1] &
  Parameters<typeof labelPages>[1] &
  Parameters<typeof milestonePages>[1] &
  Parameters<typeof releasePages>[1] &
  Parameters<typeof releaseFormPages>[1] &
  Parameters<typeof uploadPages>[1] &
  Parameters<typeof wikiPages>[1] &
  Parameters<typeof wikiFormPages>[1] &
  Parameters<typeof ownPages>[1] &
  Parameters<typeof notificationPages>[1] &
  Parameters<typeof pullPages>[1];

/** Registers the pages of issues, pull requests, labels, milestones, releases, wikis and notifications. */
export function pagesOfTracker(app: App, dependencies: Dependencies): void {
  ownPages(app, dependencies);
  notificationPages(app, dependencies);
  app.register(async (scope) => {
    const pages = scope as App;
    answerGoFirst(pages, dependencies);
    issueListPages(pages, dependencies);
    newIssuePages(pages, dependencies);
    issuePages(pages, dependencies);
    pullPages(pages, dependencies);
    threadForms(pages, dependencies);
    threadTextForms(pages, dependencies);
    labelPages(pages, dependencies);
    milestonePages(pages, dependencies);
    releasePages(pages, dependencies);
    releaseFormPages(pages, dependencies);
    uploadPages(pages, dependencies);
    wikiPages(pages, dependencies);
    wikiFormPages(pages, dependencies);
  });
}

/** A package may have the path of each of these pages, such as `labels`. */
function answerGoFirst(app: App, dependencies: Dependencies): void {
  app.addHook('preValidation', async (request: FastifyRequest, reply) => {
    if (!isForGo(request.query as { 'go-get'?: string })) return;
    const { owner, repo } = request.params as { owner: string; repo: string };
    await answerGo(request, reply, { owner, name: repo.replace(/\.git$/i, '') }, dependencies);
  });
}
