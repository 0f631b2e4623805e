import { Type } from 'typebox';
import type { App } from '../http/app.ts';
import { RepositoryParams } from '../repositories/schema.ts';
import { LANGUAGE } from './actions.ts';
import type { Languages } from './service.ts';

export function languageRoutes(app: App, { languages }: { languages: Languages }): void {
  app.get(
    '/repos/:owner/:repo/languages',
    {
      config: { action: LANGUAGE.list },
      schema: {
        tags: ['repository'],
        summary: 'List the languages that a repository is written in, with their bytes',
        params: RepositoryParams,
        response: { 200: Type.Record(Type.String(), Type.Integer()) },
      },
    },
    async (request) => {
      const { owner, repo } = request.params;
      return Object.fromEntries(await languages.list(request.viewer, { owner, name: repo }));
    },
  );
}
