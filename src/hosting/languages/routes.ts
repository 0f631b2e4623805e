import { Type } from 'typebox';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { LANGUAGE } from './actions.ts';
import type { Languages } from './service.ts';

const BytesByLanguage = asIs(Type.Record(Type.String(), Type.Integer()));

interface Dependencies {
  readonly languages: Languages;
  readonly addresses: Addresses;
}

export function languageRoutes(app: App, { languages, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.get('/repos/:owner/:repo/languages', LANGUAGE.list, {
    id: 'repoGetLanguages',
    isTagged: true,
    summary: 'List the languages of a repository with their sizes in bytes',
    answer: BytesByLanguage,
    handle: async ({ viewer, path }) => Object.fromEntries(await languages.list(viewer, path)),
  });
}
