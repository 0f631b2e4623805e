import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import { contentDisposition } from '../../base/core/text/content-disposition.ts';
import type { Addresses, App } from '../../http/app.ts';
import { LFS_TYPE, sendLfsJson } from '../../http/lfs-json.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';
import { pathInGitUrl } from '../repositories/git-clients.ts';
import { LFS } from './actions.ts';
import { type NamedObject, sizeOf } from './model.ts';
import { presentBatch } from './present.ts';
import {
  BatchBody,
  NamedObjectParams,
  ObjectBody,
  ObjectParams,
  RepositoryParams,
  SizedObjectParams,
} from './schema.ts';
import { sendObject } from './send.ts';
import type { LargeFiles } from './service.ts';

/** Path below which git-lfs finds a repository; the name may end with `.git`. */
export const LFS_ROOT = '/:owner/:repo/info/lfs';

interface Dependencies {
  readonly files: LargeFiles;
  readonly addresses: Addresses;
}

/** @see https://github.com/git-lfs/git-lfs/tree/main/docs/api */
export function lfsRoutes(app: App, { files, addresses }: Dependencies): void {
  app.post(
    `${LFS_ROOT}/objects/batch`,
    {
      config: { action: LFS.download, partOfTransfer: 'download' },
      onRequest: requireLfsClient,
      schema: { params: RepositoryParams, body: BatchBody },
    },
    async (request, reply) => {
      const { operation, objects = [], transfers = [] } = request.body;
      const wanted = { operation, objects: objects.map(objectOf), canResume: transfers.includes('tus') };
      const answered = await files.batch(request.viewer, pathInGitUrl(request.params), wanted);
      return sendLfsJson(reply, presentBatch(answered, addresses));
    },
  );

  downloadRoutes(app, files);

  app.put(
    `${LFS_ROOT}/objects/:oid/:size`,
    {
      config: {
        action: LFS.upload,
        transfer: 'upload',
        receivesObject: true,
        bodyBytesInMemory: HTTP_LIMITS.objectBodyBytesInMemory,
      },
      // The handler checks the size of an object by its path.
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: { params: SizedObjectParams },
    },
    async (request, reply) => {
      const to = await files.openForUpload(request.viewer, pathInGitUrl(request.params));
      const object = { oid: request.params.oid, sizeBytes: sizeOf(request.params.size) };
      requireLength(request, object);
      await files.receive(to, object, bodyOf(request));
      return reply.code(200).send();
    },
  );

  app.post(
    `${LFS_ROOT}/verify`,
    {
      config: {
        action: LFS.upload,
        transfer: 'upload',
        statusOf: ({ kind }) => (kind === 'malformed' ? 422 : undefined),
      },
      onRequest: requireLfsClient,
      schema: { params: RepositoryParams, body: ObjectBody },
    },
    async (request, reply) => {
      const { repository } = await files.openForUpload(request.viewer, pathInGitUrl(request.params));
      await files.verify(repository.id, objectOf(request.body));
      return sendLfsJson(reply, {});
    },
  );
}

/** On a server where git-lfs is disabled, explains to clients why they find nothing. */
export function disabledRoutes(app: App): void {
  const answer = async () => {
    throw notFound('git-lfs on this server');
  };
  // Responds before the body is read, because no parser takes its type.
  app.all(`${LFS_ROOT}/*`, { config: { action: LFS.download, isUnknown: true }, onRequest: answer }, answer);
}

function downloadRoutes(app: App, files: LargeFiles): void {
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    params: { owner: string; repo: string; oid: string },
  ): Promise<FastifyReply> => {
    const repository = await files.openForDownload(request.viewer, pathInGitUrl(params));
    const object = await files.get(repository.id, params.oid);
    reply.type('application/octet-stream').header('access-control-expose-headers', 'Content-Range');
    return sendObject(request, reply, { files, object });
  };
  // Handles HEAD itself, because Fastify would open the object for it and discard its bytes.
  app.route({
    method: ['GET', 'HEAD'],
    url: `${LFS_ROOT}/objects/:oid`,
    config: { action: LFS.download, transfer: 'download' },
    schema: { params: ObjectParams },
    handler: (request, reply) => send(request, reply, request.params),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: `${LFS_ROOT}/objects/:oid/:filename`,
    config: { action: LFS.download, transfer: 'download' },
    schema: { params: NamedObjectParams },
    handler: (request, reply) => {
      const name = Buffer.from(request.params.filename, 'base64url').toString();
      reply.header('content-disposition', contentDisposition('attachment', name));
      return send(request, reply, request.params);
    },
  });
}

/** @throws ForgeError `unsupported_media_type` unless the client accepts the media type of git-lfs before any other */
export async function requireLfsClient(request: FastifyRequest): Promise<void> {
  const [first = ''] = (request.headers.accept ?? '').split(';');
  if (first.trim() === LFS_TYPE) return;
  throw new ForgeError({ kind: 'unsupported_media_type', what: `send the header Accept: ${LFS_TYPE}` });
}

function objectOf({ oid, size }: { oid: string; size: number }): NamedObject {
  return { oid, sizeBytes: size };
}

/** Rejects an object of another length before it is read. */
function requireLength({ headers }: FastifyRequest, { sizeBytes }: NamedObject): void {
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== sizeBytes)
    throw invalid(`the body has ${length} bytes instead of ${sizeBytes}`);
}

/** Returns the body in a form that cannot be destroyed, because the response to an error still needs the connection. */
export function bodyOf({ body }: FastifyRequest): AsyncIterable<Uint8Array> {
  return body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : Readable.from([]);
}
