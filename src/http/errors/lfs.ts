import type { Failure } from '../../base/core/failure.ts';
import { sendLfsJson } from '../lfs-json.ts';
import type { Wire } from './wire.ts';

/** Errors of git-lfs. @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md#response-errors */
export const LFS_WIRE: Wire = {
  name: 'lfs',
  send(reply, failure) {
    // git-lfs sends a password only after a challenge. Clients know this realm.
    if (reply.statusCode === 401) reply.header('www-authenticate', 'Basic realm=gitea-lfs');
    return sendLfsJson(reply, { message: lfsMessageOf(failure), request_id: reply.request.id });
  },
  sendFault: (reply) =>
    sendLfsJson(reply, { message: 'internal server error', request_id: reply.request.id }),
};

/** Returns the message that git-lfs shows to its user. */
export function lfsMessageOf(failure: Failure): string {
  // Of what is missing, a failure has only the name.
  return failure.kind === 'not_found' ? `${failure.what} not found` : failure.what;
}
