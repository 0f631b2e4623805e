import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../../base/core/failure.ts';
import { contentDisposition } from '../../../base/core/text/content-disposition.ts';
import { headersOfFile } from '../../../code/contents/raw/raw.ts';
import { sendObject } from '../../../code/object-downloads/send-object.ts';
import type { App } from '../../../http/app.ts';
import { sendElsewhere } from '../../../http/send-elsewhere.ts';
import { RELEASE } from '../actions.ts';
import type { FoundAsset } from '../models/assets.ts';
import type { AssetDownloads } from './downloads.ts';

const InRepository = { owner: Type.String(), repo: Type.String() };

/** Registers the addresses of assets, to which their records link. */
export function assetDownloadRoutes(app: App, downloads: AssetDownloads): void {
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
      return answer(request, reply, { downloads, found });
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
      return answer(request, reply, { downloads, found });
    },
  });
}

interface Sending {
  readonly downloads: AssetDownloads;
  readonly found: FoundAsset;
}

/** Statuses of a download of the whole file: by this server, and by another one. */
const COUNTED: ReadonlySet<number> = new Set([200, 302]);

async function answer(request: FastifyRequest, reply: FastifyReply, sending: Sending): Promise<FastifyReply> {
  const { downloads, found } = sending;
  await send(request, reply, sending);
  if (request.method === 'GET' && COUNTED.has(reply.statusCode))
    downloads.count(found).catch((error) => request.log.warn({ err: error }, 'cannot count a download'));
  return reply;
}

/** Sends a file as a download, because a user wrote its bytes. @throws ForgeError `not_found`, `busy` */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { downloads, found }: Sending,
): Promise<void> {
  const { asset, content } = found;
  const url = await downloads.addressOf(found, request.method === 'HEAD' ? 'HEAD' : 'GET');
  if (url !== null) {
    sendElsewhere(reply, url);
    return;
  }
  const stored = await downloads.stored(found);
  const isSent = await sendObject(request, reply, {
    stored,
    tag: content.sha256,
    headers: {
      ...headersOfFile(asset),
      'content-disposition': contentDisposition('attachment', asset.name),
      'content-type': content.type,
    },
    open: (range) => downloads.open(stored, range),
  });
  if (!isSent) throw notFound('asset');
}
