import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import { TEMPLATE_REPOSITORY } from './actions.ts';
import type { TemplateRepositories } from './generate.ts';
import { generationOf } from './options.ts';
import { GenerateRepositoryBody } from './schema.ts';

interface Dependencies {
  readonly templateRepositories: TemplateRepositories;
  readonly addresses: Addresses;
}

export function generateRoutes(app: App, { templateRepositories, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post('/repos/:template_owner/:template_repo/generate', TEMPLATE_REPOSITORY.generate, {
    id: 'generateRepo',
    summary: 'Create a repository from a template repository',
    failures: ['conflict'],
    body: GenerateRepositoryBody,
    status: 201,
    answer: RepositoryAnswer,
    handle({ viewer, params, body }) {
      const path = { owner: params.template_owner, name: params.template_repo };
      return templateRepositories.generate(viewer, path, generationOf(body));
    },
  });
}
