import type { Database } from '../../base/database/database.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { MarkdownEngine } from './engine.ts';
import { VisibleIssues } from './issues.ts';
import { markdownRoutes } from './routes.ts';
import { Markdown } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly markdownEngine: MarkdownEngine;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly addresses: Addresses;
}

export function createMarkdown(dependencies: Dependencies) {
  const { markdownEngine: engine } = dependencies;
  const issues = new VisibleIssues(dependencies);
  const markdown = new Markdown({ ...dependencies, engine, issues });
  return {
    services: { markdown },
    routes: { api: (app: App) => markdownRoutes(app, { markdown }) },
  };
}
