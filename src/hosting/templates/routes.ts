import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { TEMPLATE } from './actions.ts';
import { GitignoreAnswer, LabelTemplateAnswer, LicenseAnswer, LicenseEntryAnswer } from './present.ts';
import { TemplateName } from './schema.ts';
import type { Templates } from './service.ts';

const NameAnswer = asIs(TemplateName);

interface Dependencies {
  readonly templates: Templates;
  readonly addresses: Addresses;
}

export function templateRoutes(app: App, { templates, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'miscellaneous', addresses });

  api.wholeList('/gitignore/templates', TEMPLATE.read, {
    id: 'listGitignoresTemplates',
    summary: 'List the templates of .gitignore files',
    answer: NameAnswer,
    handle: () => [...templates.gitignoreNames],
  });

  api.get('/gitignore/templates/:name', TEMPLATE.read, {
    id: 'getGitignoreTemplateInfo',
    summary: 'Get a template of a .gitignore file',
    answer: GitignoreAnswer,
    handle: ({ params }) => templates.gitignoreNamed(params.name),
  });

  api.wholeList('/licenses', TEMPLATE.read, {
    id: 'listLicenseTemplates',
    summary: 'List the licenses whose text is available',
    answer: LicenseEntryAnswer,
    handle: () => templates.licenseNames,
  });

  api.get('/licenses/:name', TEMPLATE.read, {
    id: 'getLicenseTemplateInfo',
    summary: 'Get the text of a license',
    answer: LicenseAnswer,
    handle: ({ params }) => templates.licenseNamed(params.name),
  });

  api.wholeList('/label/templates', TEMPLATE.read, {
    id: 'listLabelTemplates',
    summary: 'List the sets of labels',
    answer: NameAnswer,
    handle: () => [...templates.labelSetNames],
  });

  api.wholeList('/label/templates/:name', TEMPLATE.read, {
    id: 'getLabelTemplateInfo',
    summary: 'Get the labels of a set',
    answer: LabelTemplateAnswer,
    handle: ({ params }) => templates.labelSetNamed(params.name),
  });
}
