import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { REPOSITORY_AVATAR } from '../../hosting/repository-avatars/actions.ts';
import type { RepositoryAvatars } from '../../hosting/repository-avatars/service.ts';
import type { App } from '../../http/app.ts';
import { isNotModified } from '../../http/conditional.ts';
import { AVATAR } from '../../people/avatars/actions.ts';
import type { AvatarFiles } from '../../people/avatars/files.ts';
import type { AvatarFile } from '../../people/avatars/model.ts';
import { drawAvatar } from './avatar.ts';

interface Dependencies {
  readonly avatarFiles: AvatarFiles;
  readonly repositoryAvatars: RepositoryAvatars;
}

const PARAMS = { params: Type.Object({ hash: Type.String() }) };
const IMMUTABLE = 'max-age=31536000, immutable';
const POLICY = "default-src 'none'; sandbox";

/** Registers the pictures of accounts and repositories. A new picture has a new address, so caches may keep the old one. */
export function avatarPages(app: App, { avatarFiles, repositoryAvatars }: Dependencies): void {
  app.get('/avatars/:hash', { config: { action: AVATAR.read }, schema: PARAMS }, async (request, reply) => {
    const { hash } = request.params;
    if (/^[0-9a-f]{32}$/.test(hash)) {
      reply.headers({
        'content-type': 'image/svg+xml',
        'cache-control': `public, ${IMMUTABLE}`,
        'content-security-policy': POLICY,
      });
      return reply.send(drawAvatar(hash));
    }
    const file = await avatarFiles.findOfAccount(request.viewer, hash);
    return send(request, reply, { avatarFiles, file, hash, isPublic: file.isPublic });
  });

  app.get(
    '/repo-avatars/:hash',
    { config: { action: REPOSITORY_AVATAR.read }, schema: PARAMS },
    async (request, reply) => {
      const { hash } = request.params;
      const { file, isPublic } = await repositoryAvatars.find(request.viewer, hash);
      return send(request, reply, { avatarFiles, file, hash, isPublic });
    },
  );
}

interface Picture {
  readonly avatarFiles: AvatarFiles;
  readonly file: AvatarFile;
  readonly hash: string;
  /** whether everyone may see it */
  readonly isPublic: boolean;
}

/** Sends a stored picture. @throws ForgeError `not_found` if it is being deleted; `busy` */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { avatarFiles, file, hash, isPublic }: Picture,
): Promise<FastifyReply> {
  reply.headers({
    etag: `"${hash}"`,
    'cache-control': `${isPublic ? 'public' : 'private'}, ${IMMUTABLE}`,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
  });
  if (isNotModified(request, reply)) return reply.code(304).send();
  const { body, sizeBytes } = await avatarFiles.open(file);
  return reply.headers({ 'content-type': 'image/png', 'content-length': sizeBytes }).send(body);
}
