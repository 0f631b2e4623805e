import { Type } from 'typebox';
import { undefinedIf } from '../../../base/core/failure.ts';
import { type FileSender, isDownload } from '../../../code/object-downloads/file-sender.ts';
import type { App } from '../../../http/app.ts';
import { ISSUE } from '../actions.ts';
import { keyOf } from '../models/attachments.ts';
import type { AttachmentDownloads } from './downloads.ts';

interface Dependencies {
  readonly attachmentDownloads: AttachmentDownloads;
  readonly fileSender: FileSender;
}

/** Registers the addresses of attachments, to which their records link. */
export function attachmentDownloadRoutes(
  app: App,
  { attachmentDownloads: downloads, fileSender }: Dependencies,
): void {
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
      const { attachment, content } = found;
      const { name } = attachment;
      const { type, sha256 } = content;
      await fileSender.send(request, reply, {
        key: keyOf(attachment),
        name,
        type,
        sha256,
        disposition: 'inline',
      });
      if (isDownload(request, reply))
        downloads.count(found).catch((error) => request.log.warn({ err: error }, 'cannot count a download'));
      return reply;
    },
  });
}
