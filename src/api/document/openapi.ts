import fastify, { type FastifyContextConfig, type FastifySchema, type RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { ANY_FILE, type FileForm, FORM } from '../../http/bodies/forms.ts';
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
  openApi(): Promise<ApiDocument>;
  /** Swagger 2.0, which more generators of clients read */
  swagger2(): Promise<object>;
}

/** Describes every route of the forge API that is registered later, from its own schema. */
export function describeApi(app: App, version: string): ApiDescription {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    const isHidden = route.config?.isUnknown === true || route.schema?.hide === true;
    if (route.url.startsWith('/api/v1/') && !isHidden) routes.push(route);
  });
  const openApi = once(() => documentOf(routes, version));
  return { openApi, swagger2: once(async () => toSwagger2(await openApi())) };
}

/** Writes the document with a server that has the same routes and never answers: only it needs the library for that. */
async function documentOf(routes: readonly RouteOptions[], version: string): Promise<ApiDocument> {
  const { default: swagger } = await import('@fastify/swagger');
  const described = new Map<string, DescribedRoute>();
  const silent = fastify({ exposeHeadRoutes: false });
  silent.setValidatorCompiler(() => () => true);
  silent.setSerializerCompiler(() => JSON.stringify);
  for (const shape of namedShapes()) silent.addSchema(shape);
  await silent.register(swagger, {
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
      described.set(schema.operationId ?? '', describedRoute(schema, config));
      const whole = config?.acceptsForm === undefined ? schema : withForm(schema, config.acceptsForm);
      return url.endsWith('/*') ? nameRestOfPath(whole, url) : { schema: whole, url };
    },
  });
  for (const { method, url, schema = {}, config = {} } of routes)
    silent.route({ method, url, schema, config, handler: () => null });
  await silent.ready();
  return complete(silent.swagger() as unknown as ApiDocument, described);
}

function describedRoute(schema: FastifySchema, config: FastifyContextConfig | undefined): DescribedRoute {
  const action = config?.action;
  if (action === undefined) throw new Error(`the operation ${schema.operationId} states no action`);
  const bodyName = (schema.body as { $id?: string } | undefined)?.$id;
  const { statusOf, failures = [], streams } = config ?? {};
  return { action, bodyName, statusOf, failures, streams };
}

/** Describes a body that is a form with a file, or also a file itself. */
function withForm(schema: FastifySchema, form: FileForm): FastifySchema {
  const file = Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'the file' });
  const content = { [FORM]: { schema: formWith(file, form) } };
  if (form.acceptsFiles !== true) return { ...schema, body: { content } };
  return { ...schema, body: { content: { ...content, [ANY_FILE]: { schema: file } } } };
}

function formWith(file: TSchema, { field, text }: FileForm): TSchema {
  if (text === undefined) return Type.Object({ [field]: file });
  const instead = Type.Optional(Type.String({ description: `in place of \`${field}\`` }));
  return Type.Object({ [field]: Type.Optional(file), [text]: instead });
}

/** Names of the rest of a path, where it is not the path of a file. */
const REST_NAMES: ReadonlyMap<string, string> = new Map([
  [':base', 'head'],
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
