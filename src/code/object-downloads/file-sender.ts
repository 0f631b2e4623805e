import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../base/core/failure.ts';
import { contentDisposition } from '../../base/core/text/content-disposition.ts';
import type { LfsSettings } from '../../hosting/lfs/model.ts';
import { sendElsewhere } from '../../http/send-elsewhere.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { headersOfFile } from '../contents/raw/raw.ts';
import { sendObject } from './send-object.ts';
import type { ObjectDownloads } from './service.ts';

interface Dependencies {
  readonly objects: ObjectStorage;
  readonly objectDownloads: ObjectDownloads;
  readonly lfsSettings: Pick<LfsSettings, 'servesDirect'>;
}

/** A file in the object store, as a user has uploaded it. */
export interface UploadedFile {
  readonly key: string;
  readonly name: string;
  /** media type, found in the content */
  readonly type: string;
  /** hex */
  readonly sha256: string;
  /** `inline`: a browser may show it; it runs nothing of it */
  readonly disposition: 'inline' | 'attachment';
}

/** Statuses of a download of the whole file: by this server, and by another one. */
const WHOLE: ReadonlySet<number> = new Set([200, 302]);

/** Whether the response lets the client have a whole file, so that it counts as a download. */
export function isDownload({ method }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return method === 'GET' && WHOLE.has(statusCode);
}

/** Sends files that users have uploaded, or the addresses of the files in the object store. */
export class FileSender {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Sends a file that the viewer may read, or the range that the request asks for.
   *
   * @throws ForgeError `not_found` if the file is being deleted; `busy`
   */
  async send(request: FastifyRequest, reply: FastifyReply, file: UploadedFile): Promise<void> {
    const { objects, objectDownloads, lfsSettings } = this.#use;
    const { key, name, type, sha256, disposition } = file;
    if (lfsSettings.servesDirect) {
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      const lifetimeMs = STORAGE_LIMITS.signedAddressMs;
      sendElsewhere(
        reply,
        await objects.signedUrl(key, { method, lifetimeMs, fileName: name, contentType: type }),
      );
      return;
    }
    const stored = await objects.head(key);
    const isSent =
      stored !== undefined &&
      (await sendObject(request, reply, {
        stored,
        tag: sha256,
        headers: {
          ...headersOfFile(file),
          'content-disposition': contentDisposition(disposition, name),
          'content-type': type,
        },
        open: (range) => objectDownloads.open(stored, range),
      }));
    if (!isSent) throw notFound('file');
  }
}
