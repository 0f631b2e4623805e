import { sendLfsJson } from '../lfs-json.ts';
import type { Wire } from './wire.ts';

/** Errors of git-lfs. @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md#response-errors */
export const LFS_WIRE: Wire = {
  name: 'lfs',
  send(reply, { what }) {
    // git-lfs sends a password only after a challenge. Clients know this realm.
    if (reply.statusCode === 401) reply.header('www-authenticate', 'Basic realm=gitea-lfs');
    return sendLfsJson(reply, { message: what, request_id: reply.request.id });
  },
  sendFault: (reply) =>
    sendLfsJson(reply, { message: 'internal server error', request_id: reply.request.id }),
};
