import { sendLfsJson } from '../lfs-json.ts';
import type { Wire } from './wire.ts';

/** Errors of git-lfs. @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md#response-errors */
export const LFS_WIRE: Wire = {
  name: 'lfs',
  send(reply, failure) {
    // git-lfs sends a password only after a challenge. Clients know this realm.
    if (reply.statusCode === 401) reply.header('www-authenticate', 'Basic realm=gitea-lfs');
    // Of what is missing, a failure has only the name. git-lfs shows the message to its user.
    const message = failure.kind === 'not_found' ? `${failure.what} not found` : failure.what;
    return sendLfsJson(reply, { message, request_id: reply.request.id });
  },
  sendFault: (reply) =>
    sendLfsJson(reply, { message: 'internal server error', request_id: reply.request.id }),
};
