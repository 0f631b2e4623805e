import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { asIs } from '../access/answers.ts';
import { operationsOn } from '../access/operations.ts';
import type { Addresses, App } from '../http/app.ts';
import { isNotModified } from '../http/conditional.ts';
import { EDITORCONFIG } from './actions.ts';
import type { EditorConfigs } from './service.ts';

const DefinitionAnswer = asIs(Type.Record(Type.String(), Type.String()));

interface Dependencies {
  readonly editorConfigs: EditorConfigs;
  readonly addresses: Addresses;
}

export function editorConfigRoutes(app: App, { editorConfigs, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.get('/repos/:owner/:repo/editorconfig/*', EDITORCONFIG.read, {
    id: 'repoGetEditorConfig',
    summary: 'Get the EditorConfig definition of a file',
    query: { ref: Type.Optional(Type.String()) },
    failures: ['invalid'],
    answer: DefinitionAnswer,
    async handle({ viewer, path, params, query, request, reply }) {
      const filePath = params['*'].replace(/^\/+|\/+$/g, '');
      const location = await editorConfigs.locate(viewer, path, { filePath, ref: query.ref });
      reply.header('etag', `"${tagOf(location.commit, location.path)}"`);
      if (isNotModified(request, reply)) return reply.code(304).send();
      reply.removeHeader('etag');
      const definition = await editorConfigs.read(location);
      reply.header('etag', `"${tagOf(location.commit, location.path)}"`);
      return definition;
    },
  });
}

/** A hash of everything that the response depends on. */
function tagOf(commit: string, path: string): string {
  return createHash('sha256').update(`${commit} ${path}`).digest('hex').slice(0, 40);
}
