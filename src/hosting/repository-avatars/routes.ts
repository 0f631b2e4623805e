import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { AVATAR_LIMITS } from '../../people/avatars/limits.ts';
import { UpdateRepositoryAvatarBody } from '../../people/avatars/schema.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { RepositoryAvatars } from './service.ts';

interface Dependencies {
  readonly repositoryAvatars: RepositoryAvatars;
  readonly addresses: Addresses;
}

const URL = '/repos/:owner/:repo/avatar';

export function repositoryAvatarRoutes(app: App, { repositoryAvatars, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(URL, REPOSITORY.edit, {
    id: 'repoUpdateAvatar',
    summary: 'Change the picture of a repository',
    failures: ['bad_request', 'too_large'],
    options: { bodyLimit: AVATAR_LIMITS.avatarBodyBytesMax },
    body: UpdateRepositoryAvatarBody,
    handle: ({ viewer, path, body }) => repositoryAvatars.set(viewer, path, body.image ?? ''),
  });

  api.delete(URL, REPOSITORY.edit, {
    id: 'repoDeleteAvatar',
    summary: 'Remove the picture of a repository',
    handle: ({ viewer, path }) => repositoryAvatars.remove(viewer, path),
  });
}
