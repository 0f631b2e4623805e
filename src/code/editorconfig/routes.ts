import { Type } from 'typebox';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { withoutOuterSlashes } from '../../base/core/text/text.ts';
import type { Addresses, App } from '../../http/app.ts';
import { strongTag, unlessKnown } from '../../http/conditional.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
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
    otherwise: NOT_MODIFIED,
    summary: 'Get the EditorConfig definition of a file',
    query: { ref: Type.Optional(Type.String()) },
    failures: ['invalid'],
    answer: DefinitionAnswer,
    async handle(call) {
      const filePath = withoutOuterSlashes(call.params['*']);
      const location = await editorConfigs.locate(call.viewer, call.path, { filePath, ref: call.query.ref });
      const tag = strongTag([location.commit, location.path]);
      return unlessKnown(call, tag, () => editorConfigs.read(location));
    },
  });
}
