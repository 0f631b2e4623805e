import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { unlessKnown } from '../../http/conditional.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
import { ISSUE_TEMPLATE } from './actions.ts';
import type { IssueFiles } from './model.ts';
import { IssueConfigAnswer, IssueConfigValidationAnswer, IssueTemplateAnswer } from './present.ts';
import type { IssueTemplates } from './service.ts';

interface Dependencies {
  readonly issueTemplates: IssueTemplates;
  readonly addresses: Addresses;
}

interface Asked {
  readonly viewer: Viewer;
  readonly path: RepositoryPath;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function issueTemplateRoutes(app: App, { issueTemplates, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  /** Answers with a part of the files; they depend on the commit alone. */
  const partOf =
    <Part>(choose: (files: IssueFiles) => Part) =>
    async (call: Asked): Promise<Part | FastifyReply> => {
      const location = await issueTemplates.locate(call.viewer, call.path);
      return unlessKnown(call, `"${location?.commit ?? 'empty'}"`, async () =>
        choose(await issueTemplates.read(location)),
      );
    };

  api.wholeList('/repos/:owner/:repo/issue_templates', ISSUE_TEMPLATE.read, {
    id: 'repoGetIssueTemplates',
    otherwise: NOT_MODIFIED,
    summary: 'List the templates for new issues',
    answer: IssueTemplateAnswer,
    handle: partOf(({ templates }) => templates),
  });

  api.get('/repos/:owner/:repo/issue_config', ISSUE_TEMPLATE.read, {
    id: 'repoGetIssueConfig',
    otherwise: NOT_MODIFIED,
    summary: 'Get the configuration of new issues',
    answer: IssueConfigAnswer,
    handle: partOf(({ config }) => config),
  });

  api.get('/repos/:owner/:repo/issue_config/validate', ISSUE_TEMPLATE.read, {
    id: 'repoValidateIssueConfig',
    otherwise: NOT_MODIFIED,
    summary: 'Check the configuration of new issues',
    answer: IssueConfigValidationAnswer,
    handle: partOf((files) => files),
  });
}
