import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSignedIn } from '../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid } from '../../base/core/failure.ts';
import type { App } from '../../http/app.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';
import { pathInGitUrl } from '../repositories/git-clients.ts';
import { LFS } from './actions.ts';
import { type ObjectUpload, sizeOf } from './model.ts';
import type { ResumableUploads } from './resumable.ts';
import { bodyOf, LFS_ROOT } from './routes.ts';
import { SizedObjectParams } from './schema.ts';
import type { LargeFiles } from './service.ts';

const VERSION = '1.0.0';
const CONTENT_TYPE = 'application/offset+octet-stream';

interface Dependencies {
  readonly files: LargeFiles;
  readonly resumable: ResumableUploads;
}

/**
 * Uploads that can continue after an interruption. They use the core of the protocol tus, as git-lfs does with
 * `lfs.tustransfers`.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export function resumableRoutes(app: App, { files, resumable }: Dependencies): void {
  const url = `${LFS_ROOT}/uploads/:oid/:size`;
  const open = async (
    request: FastifyRequest,
    params: { owner: string; repo: string; oid: string; size: string },
  ): Promise<ObjectUpload> => {
    const to = await files.openForUpload(request.viewer, pathInGitUrl(params));
    if (!isSignedIn(request.viewer)) throw forbidden('a deploy key sends each object as a whole');
    return { ...to, object: { oid: params.oid, sizeBytes: sizeOf(params.size) } };
  };

  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: { action: LFS.upload, transfer: 'upload' },
    schema: { params: SizedObjectParams },
    handler: async (request, reply) => {
      const upload = await open(request, request.params);
      const offset = await resumable.offsetOf(upload);
      describe(reply, offset);
      return reply.headers({ 'upload-length': upload.object.sizeBytes, 'cache-control': 'no-store' }).send();
    },
  });

  app.patch(
    url,
    {
      config: {
        action: LFS.upload,
        transfer: 'upload',
        receivesObject: true,
        bodyBytesInMemory: HTTP_LIMITS.objectBodyBytesInMemory,
      },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: { params: SizedObjectParams },
    },
    async (request, reply) => {
      const upload = await open(request, request.params);
      requireProtocol(request);
      const offset = offsetIn(request, upload);
      const arrived = await files.uploads.run(() => resumable.append(upload, offset, bodyOf(request)));
      return describe(reply.code(204), arrived).send();
    },
  );
}

function describe(reply: FastifyReply, offset: number): FastifyReply {
  return reply.headers({ 'tus-resumable': VERSION, 'upload-offset': offset });
}

/** @throws ForgeError `precondition_failed`, `unsupported_media_type` */
function requireProtocol({ headers }: FastifyRequest): void {
  if (headers['tus-resumable'] !== VERSION)
    throw new ForgeError({ kind: 'precondition_failed', what: `send the header Tus-Resumable: ${VERSION}` });
  if (headers['content-type'] !== CONTENT_TYPE)
    throw new ForgeError({ kind: 'unsupported_media_type', what: `send ${CONTENT_TYPE}` });
}

/** @throws ForgeError `bad_request`; `invalid` for a body that is longer than the rest */
function offsetIn({ headers }: FastifyRequest, { object }: ObjectUpload): number {
  const text = headers['upload-offset'];
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text))
    throw new ForgeError({
      kind: 'bad_request',
      what: 'send the header Upload-Offset with a number of bytes',
    });
  const offset = Number(text);
  if (offset + Number(headers['content-length'] ?? 0) > object.sizeBytes)
    throw invalid('the body is longer than the rest of the object');
  return offset;
}
