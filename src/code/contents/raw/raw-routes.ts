import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { notFound } from '../../../base/core/failure.ts';
import { withoutOuterSlashes } from '../../../base/core/text/text.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import type { App } from '../../../http/app.ts';
import { FILE_RESPONSES, NOT_MODIFIED, noBody } from '../../../http/shapes.ts';
import { CONTENTS } from '../actions.ts';
import type { ContentsLocation } from '../model.ts';
import type { ContentsReader } from '../read.ts';
import { sendMedia } from './media.ts';
import { sendRaw } from './raw.ts';

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), '*': Type.String() });
const Query = Type.Object({ ref: Type.Optional(Type.String()) });

interface Dependencies {
  readonly reading: ContentsReader;
  readonly files: LargeFiles;
}

export function rawRoutes(app: App, { reading, files }: Dependencies): void {
  rawRoute(app, reading, {
    segment: 'raw',
    id: 'repoGetRawFile',
    summary: 'Get the bytes of a file',
    send: (request, reply, location) => sendRaw(request, reply, { reading, location }),
  });
  rawRoute(app, reading, {
    segment: 'media',
    id: 'repoGetRawFileOrLFS',
    summary: 'Get the bytes of a file, or of the object of LFS behind a pointer',
    otherwise: { 302: noBody('The object is at this address') },
    send: (request, reply, location) => sendMedia(request, reply, { reading, files, location }),
  });
}

interface RawRoute {
  readonly segment: string;
  readonly id: string;
  readonly summary: string;
  /** other responses, by status */
  readonly otherwise?: Readonly<Record<number, TSchema>>;
  readonly send: (
    request: FastifyRequest,
    reply: FastifyReply,
    location: ContentsLocation,
  ) => Promise<FastifyReply>;
}

function rawRoute(
  app: App,
  reading: ContentsReader,
  { segment, id, summary, otherwise = {}, send }: RawRoute,
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
      response: { ...FILE_RESPONSES, ...NOT_MODIFIED, ...otherwise },
    },
    handler: async (request, reply) => {
      const { owner, repo: name, '*': rest } = request.params;
      const path = withoutOuterSlashes(rest);
      const location = await reading.locateRaw(request.viewer, { owner, name }, path, request.query.ref);
      if (location === undefined) throw notFound('file');
      return send(request, reply, location);
    },
  });
}
