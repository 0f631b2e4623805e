import type { SignedIn } from '../access/viewer.ts';
import type { Addresses, App } from '../http/app.ts';
import { reference } from '../http/shapes.ts';
import { presentRepository } from '../repositories/present.ts';
import { RepositorySchema } from '../repositories/schema.ts';
import { TEMPLATE_REPOSITORY } from './actions.ts';
import type { TemplateRepositories } from './generate.ts';
import { generationOf } from './options.ts';
import { GenerateRepositoryBody, TemplateParams } from './schema.ts';

export function generateRoutes(
  app: App,
  { templateRepositories, addresses }: { templateRepositories: TemplateRepositories; addresses: Addresses },
): void {
  app.post(
    '/repos/:template_owner/:template_repo/generate',
    {
      config: { action: TEMPLATE_REPOSITORY.generate },
      schema: {
        tags: ['repository'],
        summary: 'Create a repository of a template',
        params: TemplateParams,
        body: GenerateRepositoryBody,
        response: { 201: reference(RepositorySchema) },
      },
    },
    async (request, reply) => {
      const viewer = request.viewer as SignedIn;
      const path = { owner: request.params.template_owner, name: request.params.template_repo };
      const made = await templateRepositories.generate(viewer, path, generationOf(request.body));
      return reply.code(201).send(presentRepository(made, viewer, addresses));
    },
  );
}
