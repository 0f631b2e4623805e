import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition } from '../../../base/core/text/content-disposition.ts';
import { findObject, typeOfObject } from '../../../code/contents/raw/media.ts';
import { sendBytes } from '../../../code/contents/raw/raw.ts';
import { sendObject } from '../../../hosting/lfs/send.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import type { App } from '../../../http/app.ts';
import {
  acceptForms,
  type FileForm,
  fileBytesMin,
  formOptions,
  readFormFile,
} from '../../../http/bodies/forms.ts';
import { isNotModified } from '../../../http/conditional.ts';
import { HTTP_LIMITS } from '../../../http/limits.ts';
import { NOTE } from '../actions.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { readParameters } from '../parameters.ts';
import { noteIdOf, signedIn } from '../requests.ts';
import type { Attachment, Attachments } from './service.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A client may keep the response for a while. */
    isCacheable?: true;
  }
}

interface Dependencies {
  readonly attachments: Attachments;
  readonly files: LargeFiles;
}

const FORM: FileForm = { field: 'file', bytesMax: NOTE_LIMITS.attachmentBytesMax };

/** Attachments, which version 1.4 of the API has. */
export function attachmentRoutes(app: App, { attachments, files }: Dependencies): void {
  const url = '/v1.4/attachment/:id(^\\d+$)';
  acceptForms(app);
  // Handles HEAD itself, because Fastify would open the file for it and discard its bytes.
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: { action: NOTE.read, isCacheable: true },
    handler: async (request, reply) => {
      const path = (await readParameters(request)).text('path') ?? '';
      const attachment = await attachments.find(signedIn(request), noteIdOf(request), path);
      return sendAttachment(request, reply, files, attachment);
    },
  });

  app.post(
    url,
    {
      config: {
        action: NOTE.write,
        acceptsForm: FORM,
        bodyBytesInMemory: HTTP_LIMITS.objectBodyBytesInMemory,
      },
      ...formOptions(FORM),
    },
    async (request) => {
      const filename = await attachments.receive(signedIn(request), noteIdOf(request), {
        bytesMin: fileBytesMin(request),
        read: (write) =>
          readFormFile(request, FORM, async ({ name, bytes }) => {
            for await (const chunk of bytes) await write(chunk);
            return name;
          }),
      });
      return { filename };
    },
  );
}

/** Sends a file as a download, never as a page, because a user wrote its bytes. */
async function sendAttachment(
  request: FastifyRequest,
  reply: FastifyReply,
  files: LargeFiles,
  { file, repositoryId, objects }: Attachment,
): Promise<FastifyReply> {
  reply.headers({
    'accept-ranges': 'bytes',
    'content-disposition': dispositionOf(file.name),
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const object = await findObject(files, { repositoryId, objects }, file);
  const type = object && (await typeOfObject(files, object));
  if (object !== undefined && type !== undefined)
    return sendObject(request, reply.type(passive(type)), { files, object });
  reply.header('etag', `"${file.oid}"`);
  if (isNotModified(request, reply)) return reply.code(304).send();
  return sendBytes(request, reply, file, passive);
}

/** Quotes a plain name, as clients of this API expect it. */
function dispositionOf(name: string): string {
  if (/^[\w .()-]+$/.test(name)) return `attachment; filename="${name}"`;
  return contentDisposition('attachment', name);
}

/** Replaces a type that can run code. */
function passive(type: string): string {
  return type.startsWith('image/svg') ? 'text/plain; charset=utf-8' : type;
}
