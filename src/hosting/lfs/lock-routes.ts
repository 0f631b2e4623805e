import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { isSignedIn } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { App } from '../../http/app.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { sendLfsJson } from '../../http/lfs-json.ts';
import { pathInGitUrl } from '../repositories/git-clients.ts';
import { LFS } from './actions.ts';
import type { FileLocks } from './locks.ts';
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
      const { isNew, lock } = await locks.create(signedIn(request.viewer), path, request.body.path);
      if (isNew) return sendLfsJson(reply.code(201), { lock: presentLock(lock) });
      const message = `${lock.owner.name} has locked this file`;
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
      const lock = await locks.remove(signedIn(request.viewer), pathInGitUrl(params), id, { force });
      return sendLfsJson(reply, { lock: presentLock(lock) });
    },
  );
}

/**
 * Reads the id of a lock. Returns 0, which no lock has, for a number that cannot be an id.
 *
 * @throws ForgeError `bad_request`
 */
function lockIdOf(text: string): number {
  if (!/^-?\d+$/.test(text))
    throw new ForgeError({ kind: 'bad_request', what: 'the id of a lock is a number' });
  return parseId(text) ?? 0;
}

/** Reads the number of a page. An invented cursor leads to the first page. */
function cursorOf(cursor: string | number | undefined): number {
  const page = Number(cursor ?? 0);
  return Number.isSafeInteger(page) ? page : 0;
}

/** @throws ForgeError `unauthenticated` */
function signedIn(viewer: Viewer): SignedIn {
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in to lock files' });
}
