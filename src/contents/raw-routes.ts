import { Type } from 'typebox';
import { notFound } from '../core/failure.ts';
import type { App } from '../http/app.ts';
import { FILE_RESPONSES, NOT_MODIFIED } from '../http/shapes.ts';
import { CONTENTS } from './actions.ts';
import { trimSlashes } from './options.ts';
import { sendRaw } from './raw.ts';
import type { ContentsReader } from './read.ts';

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), '*': Type.String() });
const Query = Type.Object({ ref: Type.Optional(Type.String()) });

export function rawRoutes(app: App, reading: ContentsReader): void {
  rawRoute(app, reading, { segment: 'raw', id: 'repoGetRawFile', summary: 'Get the bytes of a file' });
  rawRoute(app, reading, {
    segment: 'media',
    id: 'repoGetRawFileOrLFS',
    // The server stores no objects of LFS, so a pointer leads to none and is returned as it is.
    summary: 'Get the bytes of a file; a pointer of LFS comes as it is',
  });
}

function rawRoute(
  app: App,
  reading: ContentsReader,
  { segment, id, summary }: { segment: 'raw' | 'media'; id: string; summary: string },
): void {
  app.route({
    // HEAD is stated here: Fastify's own would open the file and discard its bytes.
    method: ['GET', 'HEAD'],
    url: `/repos/:owner/:repo/${segment}/*`,
    config: { action: CONTENTS.readRaw },
    schema: {
      tags: ['repository'],
      operationId: id,
      summary,
      params: Params,
      querystring: Query,
      produces: ['application/octet-stream'],
      response: { ...FILE_RESPONSES, ...NOT_MODIFIED },
    },
    handler: async (request, reply) => {
      const { owner, repo: name, '*': rest } = request.params;
      const path = trimSlashes(rest);
      const location = await reading.locateRaw(request.viewer, { owner, name }, path, request.query.ref);
      if (location === undefined) throw notFound('file');
      return sendRaw(request, reply, { reading, location });
    },
  });
}
