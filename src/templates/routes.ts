import { Type } from 'typebox';
import type { Addresses, App } from '../http/app.ts';
import { reference } from '../http/shapes.ts';
import { TEMPLATE } from './actions.ts';
import { presentGitignore, presentLabelTemplate, presentLicense, presentLicenseEntry } from './present.ts';
import {
  GitignoreTemplateSchema,
  LabelTemplateSchema,
  LicenseEntrySchema,
  LicenseTemplateSchema,
  TemplateNames,
  TemplateParams,
} from './schema.ts';
import type { Templates } from './service.ts';

interface Dependencies {
  readonly templates: Templates;
  readonly addresses: Addresses;
}

const tags = ['miscellaneous'];
const config = { action: TEMPLATE.read };

export function templateRoutes(app: App, dependencies: Dependencies): void {
  gitignoreRoutes(app, dependencies);
  licenseRoutes(app, dependencies);
  labelSetRoutes(app, dependencies);
}

function gitignoreRoutes(app: App, { templates }: Dependencies): void {
  app.get(
    '/gitignore/templates',
    {
      config,
      schema: { tags, summary: 'List the .gitignore templates', response: { 200: TemplateNames } },
    },
    async () => [...templates.gitignoreNames],
  );

  app.get(
    '/gitignore/templates/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Get a .gitignore template',
        params: TemplateParams,
        response: { 200: reference(GitignoreTemplateSchema) },
      },
    },
    async (request) => presentGitignore(await templates.gitignoreNamed(request.params.name)),
  );
}

function licenseRoutes(app: App, { templates, addresses }: Dependencies): void {
  app.get(
    '/licenses',
    {
      config,
      schema: {
        tags,
        summary: 'List the licenses',
        response: { 200: Type.Array(reference(LicenseEntrySchema)) },
      },
    },
    async () => templates.licenseNames.map((name) => presentLicenseEntry(name, addresses)),
  );

  app.get(
    '/licenses/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Get the text of a license',
        params: TemplateParams,
        response: { 200: reference(LicenseTemplateSchema) },
      },
    },
    async (request) => presentLicense(await templates.licenseNamed(request.params.name), addresses),
  );
}

function labelSetRoutes(app: App, { templates }: Dependencies): void {
  app.get(
    '/label/templates',
    {
      config,
      schema: { tags, summary: 'List the label sets', response: { 200: TemplateNames } },
    },
    async () => [...templates.labelSetNames],
  );

  app.get(
    '/label/templates/:name',
    {
      config,
      schema: {
        tags,
        summary: 'List the labels of a label set',
        params: TemplateParams,
        response: { 200: Type.Array(reference(LabelTemplateSchema)) },
      },
    },
    async (request) => templates.labelSetNamed(request.params.name).map(presentLabelTemplate),
  );
}
