import type { App } from '../../http/app.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { sendLfsJson } from '../../http/lfs-json.ts';
import { pathInGitUrl } from '../repositories/git-clients.ts';
import { LFS } from './actions.ts';
import type { FileLocks } from './locks.ts';
import { cursorOf, lockIdOf, whyLocked } from './model.ts';
import { presentLock, presentLocks, presentSides } from './present.ts';
import { LFS_ROOT, requireLfsClient } from './routes.ts';
import { LockBody, LockParams, LocksQuery, RepositoryParams, UnlockBody, VerifyLocksBody } from './schema.ts';

/** Clients of this wire expect to sign in for every repository that they do not see. */
const statusOf: StatusOf = ({ kind, what }) =>
  kind === 'not_found' && what === 'repository' ? 401 : undefined;

/** @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/locking.md */
export function lockRoutes(app: App, locks: FileLocks): void {
  for (const ending of ['', '/']) {
    app.get(
      `${LFS_ROOT}/locks${ending}`,
      {
        config: { action: LFS.listLocks, partOfTransfer: 'download', statusOf },
        onRequest: requireLfsClient,
        schema: { params: RepositoryParams, querystring: LocksQuery },
      },
      async (request, reply) => {
        const { id, path, cursor, limit } = request.query;
        const filter = { id: id === undefined ? undefined : lockIdOf(id), path };
        const page = { cursor: cursorOf(cursor), limit };
        const found = await locks.list(request.viewer, pathInGitUrl(request.params), filter, page);
        return sendLfsJson(reply, presentLocks(found));
      },
    );
  }

  app.post(
    `${LFS_ROOT}/locks`,
    {
      config: { action: LFS.lock, partOfTransfer: 'upload', statusOf },
      onRequest: requireLfsClient,
      schema: { params: RepositoryParams, body: LockBody },
    },
    async (request, reply) => {
      const path = pathInGitUrl(request.params);
      const { isNew, lock } = await locks.create(request.viewer, path, request.body.path);
      if (isNew) return sendLfsJson(reply.code(201), { lock: presentLock(lock) });
      const message = whyLocked(lock);
      return sendLfsJson(reply.code(409), { message, lock: presentLock(lock), request_id: request.id });
    },
  );

  app.post(
    `${LFS_ROOT}/locks/verify`,
    {
      config: { action: LFS.lock, partOfTransfer: 'upload', statusOf },
      onRequest: requireLfsClient,
      schema: { params: RepositoryParams, querystring: LocksQuery, body: VerifyLocksBody },
    },
    async (request, reply) => {
      const { query, body, viewer } = request;
      // git-lfs sends the cursor and the limit in the body.
      const page = { cursor: cursorOf(query.cursor ?? body.cursor), limit: query.limit ?? body.limit };
      const found = await locks.listForPush(viewer, pathInGitUrl(request.params), page);
      return sendLfsJson(reply, presentSides(found, viewer));
    },
  );

  app.post(
    `${LFS_ROOT}/locks/:id/unlock`,
    {
      config: { action: LFS.lock, partOfTransfer: 'upload', statusOf },
      onRequest: requireLfsClient,
      schema: { params: LockParams, body: UnlockBody },
    },
    async (request, reply) => {
      const { id, ...params } = request.params;
      const force = request.body.force ?? false;
      const lock = await locks.remove(request.viewer, pathInGitUrl(params), id, { force });
      return sendLfsJson(reply, { lock: presentLock(lock) });
    },
  );
}
