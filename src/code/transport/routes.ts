import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ForgeError } from '../../base/core/failure.ts';
import { inChunks } from '../../git/format/pkt-line.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import { pathInGitUrl } from '../../hosting/repositories/git-clients.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { App } from '../../http/app.ts';
import { acceptGitBodies } from './bodies.ts';
import { advertiseByGit, answerFetch } from './fetch.ts';
import { NO_CACHE, protocolOf, serviceLine } from './headers.ts';
import { advertiseCapabilities } from './list-refs.ts';
import { answerPush } from './push.ts';
import { advertiseRefs } from './receive-pack.ts';
import type { Transport } from './service.ts';
import { objectFormatOf } from './targets.ts';

const Params = Type.Object({ owner: Type.String(), repo: Type.String() });

export function transportRoutes(app: App, dependencies: { transport: Transport; version: string }): void {
  const { transport, version } = dependencies;
  acceptGitBodies(app);

  app.get(
    '/:owner/:repo/info/refs',
    {
      config: { action: REPOSITORY.fetch },
      schema: { params: Params, querystring: Type.Object({ service: Type.Optional(Type.String()) }) },
    },
    async (request, reply) => {
      const path = pathInGitUrl(request.params);
      const { service } = request.query;
      if (service === 'git-upload-pack') return advertiseFetch(request, reply, { transport, version, path });
      if (service === 'git-receive-pack') return advertisePush(request, reply, { transport, version, path });
      const what =
        "git's dumb protocol is not served here: use git 1.6.6 or newer, or ask with ?service=git-upload-pack";
      throw new ForgeError({ kind: 'forbidden', what });
    },
  );

  app.post(
    '/:owner/:repo/git-upload-pack',
    { config: { action: REPOSITORY.fetch }, schema: { params: Params } },
    async (request, reply) => {
      const repository = await transport.openForFetch(request.viewer, pathInGitUrl(request.params));
      return answerFetch(request, reply, { transport, repository });
    },
  );

  app.post(
    '/:owner/:repo/git-receive-pack',
    { config: { action: REPOSITORY.beginPush }, schema: { params: Params } },
    async (request, reply) => {
      const target = await transport.openForPush(request.viewer, pathInGitUrl(request.params));
      return answerPush(request, reply, { transport, target });
    },
  );
}

async function advertiseFetch(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: { transport: Transport; version: string; path: RepositoryPath },
): Promise<FastifyReply> {
  const { transport } = asked;
  const repository = await transport.openForFetch(request.viewer, asked.path);
  if (protocolOf(request) !== 'version=2') return advertiseByGit(request, reply, { transport, repository });
  reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-upload-pack-advertisement' });
  const capabilities = advertiseCapabilities(repository.objectFormat, asked.version);
  return reply.send(Buffer.concat([serviceLine('git-upload-pack'), capabilities]));
}

async function advertisePush(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: { transport: Transport; version: string; path: RepositoryPath },
): Promise<FastifyReply> {
  const target = await asked.transport.openForPush(request.viewer, asked.path);
  const snapshot = await asked.transport.openTarget(target);
  const refs = snapshot ?? { objectFormat: objectFormatOf(target), refs: () => [] };
  const protocol = protocolOf(request) === 'version=1' ? 1 : 0;
  reply.headers({ ...NO_CACHE, 'content-type': 'application/x-git-receive-pack-advertisement' });
  const advertised = function* () {
    yield serviceLine('git-receive-pack');
    yield* inChunks(advertiseRefs(refs, { version: asked.version, protocol }));
  };
  return reply.send(Readable.from(advertised(), { objectMode: false }));
}
