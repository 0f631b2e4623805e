import type { ContentsReader } from '../../code/contents/read.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PullTemplates } from './pull-templates.ts';
import { issueTemplateRoutes } from './routes.ts';
import { IssueTemplates } from './service.ts';

export function createIssueTemplates(dependencies: { reading: ContentsReader; addresses: Addresses }) {
  const { addresses } = dependencies;
  const issueTemplates = new IssueTemplates(dependencies);
  return {
    services: { issueTemplates, pullTemplates: new PullTemplates(dependencies) },
    routes: { api: (app: App) => issueTemplateRoutes(app, { issueTemplates, addresses }) },
  };
}
