import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { App } from './app.ts';
import { namedShapes } from './shapes.ts';

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic' },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`token TOKEN` or `Bearer TOKEN`',
  },
} as const;

/** Describes every route of the forge API that is registered later, from its own schema. */
export async function describeApi(app: App, version: string): Promise<void> {
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
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: SECURITY_SCHEMES },
      security: [{ basic: [] }, { token: [] }, {}],
    },
    refResolver: {
      // Named shapes keep their names. By default they would be def-0, def-1 and so on.
      buildLocalReference: (json, _base, _fragment, index) =>
        (json.$id as string | undefined) ?? `def-${index}`,
    },
    transform: ({ schema, url, route }) => {
      if (!url.startsWith('/api/v1/') || route.config?.isUnknown === true)
        return { schema: { ...schema, hide: true }, url };
      const described = { ...schema, 'x-action': route.config?.action?.name };
      return url.endsWith('/*') ? nameRestOfPath(described, url) : { schema: described, url };
    },
  });
}

/** Names the rest of a path `filepath`. In the router it is `*`. */
function nameRestOfPath(schema: FastifySchema, url: string): { schema: FastifySchema; url: string } {
  const { '*': _rest, ...others } = (schema.params as { properties: Record<string, never> }).properties;
  return {
    schema: { ...schema, params: Type.Object({ ...others, filepath: Type.String() }) },
    url: url.replace(/\*$/, ':filepath'),
  };
}
