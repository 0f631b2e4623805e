import { Type } from 'typebox';
import { ForgeError } from '../../base/core/failure.ts';
import type { App } from '../../http/app.ts';
import { versionOf } from '../../http/conditional.ts';
import { SIGNED_PATH } from '../../storage/signed-addresses.ts';
import { OBJECT } from './actions.ts';
import { sendObject } from './send-object.ts';
import type { ObjectDownloads } from './service.ts';

const Query = Type.Object({
  expires: Type.Optional(Type.String()),
  disposition: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
});

/** Registers the signed addresses of objects. */
export function objectDownloadRoutes(app: App, downloads: ObjectDownloads): void {
  app.route({
    // HEAD is stated here, because its addresses have signatures of their own.
    method: ['GET', 'HEAD'],
    url: `${SIGNED_PATH}*`,
    config: { action: OBJECT.download },
    schema: { params: Type.Object({ '*': Type.String() }), querystring: Query },
    handler: async (request, reply) => {
      const { '*': key } = request.params;
      const { stored, granted } = await downloads.find(request.method, key, request.query);
      const headers = {
        'cache-control': 'private, max-age=300',
        'content-type': granted.type,
        'content-disposition': granted.disposition,
        'access-control-expose-headers': 'Content-Disposition',
        'content-security-policy': "default-src 'none'; sandbox",
      };
      const tag = versionOf([key, stored.sizeBytes, stored.modifiedAt]);
      const open = (range: Parameters<typeof downloads.open>[1]) => downloads.open(stored, range);
      if (await sendObject(request, reply, { stored, tag, headers, open })) return reply;
      throw new ForgeError({
        kind: 'busy',
        what: 'the object has just changed: try again',
        retryAfterSeconds: 1,
      });
    },
  });
}
