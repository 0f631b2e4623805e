import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { AVATAR } from './actions.ts';
import { AVATAR_LIMITS } from './limits.ts';
import { UpdateUserAvatarBody } from './schema.ts';
import type { Avatars } from './service.ts';

interface Dependencies {
  readonly avatars: Avatars;
  readonly addresses: Addresses;
}

export function avatarRoutes(app: App, { avatars, addresses }: Dependencies): void {
  const ofUsers = operationsOn(app, { tag: 'user', addresses });
  const ofOrganizations = operationsOn(app, { tag: 'organization', addresses });

  ofUsers.post('/user/avatar', AVATAR.change, {
    id: 'userUpdateAvatar',
    summary: 'Change your picture',
    failures: ['bad_request', 'too_large'],
    options: { bodyLimit: AVATAR_LIMITS.avatarBodyBytesMax },
    body: UpdateUserAvatarBody,
    handle: ({ viewer, body }) => avatars.setOwn(viewer, body.image ?? ''),
  });

  ofUsers.delete('/user/avatar', AVATAR.change, {
    id: 'userDeleteAvatar',
    summary: 'Remove your picture, so that one is drawn',
    failures: ['invalid'],
    handle: ({ viewer }) => avatars.removeOwn(viewer),
  });

  ofOrganizations.post('/orgs/:org/avatar', AVATAR.changeOf, {
    id: 'orgUpdateAvatar',
    summary: 'Change the picture of an organization',
    failures: ['bad_request', 'too_large'],
    options: { bodyLimit: AVATAR_LIMITS.avatarBodyBytesMax },
    body: UpdateUserAvatarBody,
    handle: ({ viewer, params, body }) => avatars.setOf(viewer, params.org, body.image ?? ''),
  });

  ofOrganizations.delete('/orgs/:org/avatar', AVATAR.changeOf, {
    id: 'orgDeleteAvatar',
    summary: 'Remove the picture of an organization, so that one is drawn',
    handle: ({ viewer, params }) => avatars.removeOf(viewer, params.org),
  });
}
