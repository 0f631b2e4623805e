import { defineActions } from '../../api/access/actions.ts';

export const REPOSITORY_AVATAR = defineActions('repository-avatar', {
  /** Its address names no repository, so the service checks who may see it. */
  read: { on: 'open', scopes: ['read:repository'] },
});
