import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { type FileForm, FORM } from '../../http/forms.ts';
import { namedShapes } from '../../http/shapes.ts';
import { complete } from './complete.ts';
import type { ApiDocument, DescribedRoute } from './model.ts';
import { toSwagger2 } from './swagger2.ts';

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic' },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`token TOKEN` or `Bearer TOKEN`',
  },
} as const;

/** The description of the forge API in two formats. Each is made when it is first asked for. */
export interface ApiDescription {
  openApi(): ApiDocument;
  /** Swagger 2.0, which more generators of clients read */
  swagger2(): object;
}

/** Describes every route of the forge API that is registered later, from its own schema. */
export async function describeApi(app: App, version: string): Promise<ApiDescription> {
  const routes = new Map<string, DescribedRoute>();
  // By now, every route has been registered. The plugin collects the shapes in a hook that follows this one.
  app.addHook('onReady', async () => {
    for (const shape of namedShapes()) app.addSchema(shape);
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Quire',
        version,
        description: 'The Gitea/Forgejo API, version 1, as this server speaks it.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    refResolver: {
      // Named shapes keep their names. By default they would be def-0, def-1 and so on.
      buildLocalReference: (json, _base, _fragment, index) =>
        (json.$id as string | undefined) ?? `def-${index}`,
    },
    transform: ({ schema = {}, url, route }) => {
      const { config } = route;
      if (!url.startsWith('/api/v1/') || config?.isUnknown === true || schema.hide === true)
        return { schema: { ...schema, hide: true }, url };
      routes.set(schema.operationId ?? '', describedRoute(schema, config));
      const described = config?.takesForm === undefined ? schema : withForm(schema, config.takesForm);
      return url.endsWith('/*') ? nameRestOfPath(described, url) : { schema: described, url };
    },
  });
  const openApi = once(() => complete(app.swagger() as unknown as ApiDocument, routes));
  return { openApi, swagger2: once(() => toSwagger2(openApi())) };
}

function describedRoute(schema: FastifySchema, config: FastifyContextConfig | undefined): DescribedRoute {
  const action = config?.action;
  if (action === undefined) throw new Error(`the operation ${schema.operationId} states no action`);
  const bodyName = (schema.body as { $id?: string } | undefined)?.$id;
  return { action, bodyName, statusOf: config?.statusOf, failures: config?.failures ?? [] };
}

/** Describes a body that is a form with a file. */
function withForm(schema: FastifySchema, { field }: FileForm): FastifySchema {
  const file = Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'the file' });
  return { ...schema, consumes: [FORM], body: Type.Object({ [field]: file }) };
}

/** Names of the rest of a path, where it is not the path of a file. */
const REST_NAMES: ReadonlyMap<string, string> = new Map([
  ['archive', 'archive'],
  ['branches', 'branch'],
  ['branch_protections', 'name'],
  ['compare', 'basehead'],
  ['matching-refs', 'ref'],
  ['ref', 'ref'],
  ['refs', 'ref'],
  ['tags', 'tag'],
]);

/** Names the rest of a path, `filepath` if it is one. In the router it is `*`. */
function nameRestOfPath(schema: FastifySchema, url: string): { schema: FastifySchema; url: string } {
  const name = REST_NAMES.get(url.split('/').at(-2) ?? '') ?? 'filepath';
  const { '*': _rest, ...others } = (schema.params as { properties: Record<string, never> }).properties;
  return {
    schema: { ...schema, params: Type.Object({ ...others, [name]: Type.String() }) },
    url: url.replace(/\*$/, `:${name}`),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
