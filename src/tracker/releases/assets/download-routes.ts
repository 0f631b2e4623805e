import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../../base/core/failure.ts';
import { type FileSender, isDownload } from '../../../code/object-downloads/file-sender.ts';
import type { App } from '../../../http/app.ts';
import { sendElsewhere } from '../../../http/send-elsewhere.ts';
import { RELEASE } from '../actions.ts';
import { type FoundAsset, keyOf } from '../models/assets.ts';
import type { AssetDownloads } from './downloads.ts';

interface Dependencies {
  readonly releaseDownloads: AssetDownloads;
  readonly fileSender: FileSender;
}

const InRepository = { owner: Type.String(), repo: Type.String() };

/** Registers the addresses of assets, to which their records link. */
export function assetDownloadRoutes(app: App, dependencies: Dependencies): void {
  const { releaseDownloads: downloads } = dependencies;
  // HEAD is stated here: Fastify's own would open the file and discard its bytes.
  const method = ['GET', 'HEAD'];
  const config = { action: RELEASE.read };
  app.route({
    method,
    url: '/:owner/:repo/releases/download/*',
    config,
    schema: { params: Type.Object({ ...InRepository, '*': Type.String() }) },
    async handler(request, reply) {
      const { owner, repo: name, '*': rest } = request.params;
      // Tags may have slashes, and names of assets have none.
      const end = rest.lastIndexOf('/');
      if (end === -1) throw notFound('asset');
      const asked = { of: { tag: rest.slice(0, end) }, name: rest.slice(end + 1) };
      const found = await downloads.find(request.viewer, { owner, name }, asked);
      return send(request, reply, found, dependencies);
    },
  });
  app.route({
    method,
    url: '/:owner/:repo/releases/latest/download/:asset',
    config,
    schema: { params: Type.Object({ ...InRepository, asset: Type.String() }) },
    async handler(request, reply) {
      const { owner, repo: name, asset } = request.params;
      const asked = { of: 'latest', name: asset } as const;
      const found = await downloads.find(request.viewer, { owner, name }, asked);
      return send(request, reply, found, dependencies);
    },
  });
}

/** Sends a file as a download, because a user wrote its bytes. @throws ForgeError `not_found`, `busy` */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { asset, content: { type, sha256 } }: FoundAsset,
  { releaseDownloads, fileSender }: Dependencies,
): Promise<FastifyReply> {
  const { name, externalUrl } = asset;
  if (externalUrl !== null) sendElsewhere(reply, externalUrl);
  else
    await fileSender.send(request, reply, {
      key: keyOf(asset),
      name,
      type,
      sha256,
      disposition: 'attachment',
    });
  if (isDownload(request, reply))
    releaseDownloads
      .count({ asset })
      .catch((error) => request.log.warn({ err: error }, 'cannot count a download'));
  return reply;
}
