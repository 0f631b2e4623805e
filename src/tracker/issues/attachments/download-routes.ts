import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound, undefinedIf } from '../../../base/core/failure.ts';
import { headersOfFile } from '../../../code/contents/raw/raw.ts';
import { sendObject } from '../../../code/object-downloads/send-object.ts';
import type { App } from '../../../http/app.ts';
import { sendElsewhere } from '../../../http/send-elsewhere.ts';
import { ISSUE } from '../actions.ts';
import type { FoundFile } from '../store/attachments.ts';
import type { AttachmentDownloads } from './downloads.ts';

/** Registers the addresses of attachments, to which their records link. */
export function attachmentDownloadRoutes(app: App, downloads: AttachmentDownloads): void {
  app.route({
    // Handles HEAD itself, because Fastify would open the file for it and discard its bytes.
    method: ['GET', 'HEAD'],
    url: '/attachments/:uuid',
    config: { action: ISSUE.download },
    schema: { params: Type.Object({ uuid: Type.String() }) },
    handler: async (request, reply) => {
      const { viewer } = request;
      const { uuid } = request.params;
      const found = await downloads.find(viewer, uuid).catch(undefinedIf('not_found'));
      if (found === undefined) return reply.redirect(await downloads.findElsewhere(viewer, uuid));
      await send(request, reply, { downloads, found });
      if (request.method === 'GET' && COUNTED.has(reply.statusCode))
        downloads.count(found).catch((error) => request.log.warn({ err: error }, 'cannot count a download'));
      return reply;
    },
  });
}

/** Statuses of a download of the whole file: by this server, and by the object store. */
const COUNTED: ReadonlySet<number> = new Set([200, 302]);

/** Sends a file with the headers of `raw`, because a user wrote its bytes. @throws ForgeError `not_found`, `busy` */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { downloads, found }: { downloads: AttachmentDownloads; found: FoundFile },
): Promise<void> {
  const { attachment, content } = found;
  const url = await downloads.addressOf(found, request.method === 'HEAD' ? 'HEAD' : 'GET');
  if (url !== null) {
    sendElsewhere(reply, url);
    return;
  }
  const stored = await downloads.stored(found);
  const isSent = await sendObject(request, reply, {
    stored,
    tag: content.sha256,
    headers: { ...headersOfFile(attachment), 'content-type': content.type },
    open: (range) => downloads.open(stored, range),
  });
  if (!isSent) throw notFound('attachment');
}
