import { Type } from 'typebox';
import type { Addresses, App } from '../../http/app.ts';
import { FILE_RESPONSES, NOT_MODIFIED, noBody } from '../../http/shapes.ts';
import { ARCHIVE } from './actions.ts';
import { sendArchive } from './send.ts';
import type { Archives } from './service.ts';

interface Dependencies {
  readonly archives: Archives;
  readonly addresses: Addresses;
  readonly servesDirect: boolean;
}

export function archiveRoutes(app: App, { archives, addresses, servesDirect }: Dependencies): void {
  app.route({
    // HEAD is stated here: Fastify's own would build the archive and discard its bytes.
    method: ['GET', 'HEAD'],
    url: '/repos/:owner/:repo/archive/*',
    config: { action: ARCHIVE.get, failures: ['bad_request', 'invalid', 'busy'] },
    schema: {
      tags: ['repository'],
      operationId: 'repoGetArchive',
      summary: 'Get the files of a commit as an archive, or its history as a bundle',
      params: Type.Object({ owner: Type.String(), repo: Type.String(), '*': Type.String() }),
      produces: ['application/zip', 'application/gzip', 'application/octet-stream'],
      response: { ...FILE_RESPONSES, ...NOT_MODIFIED, 302: noBody('The archive is at this address') },
    },
    handler: async (request, reply) => {
      const { owner, repo: name, '*': archive } = request.params;
      const location = await archives.locate(request.viewer, { owner, name }, archive);
      return sendArchive(request, reply, { archives, addresses, servesDirect, location });
    },
  });
}
