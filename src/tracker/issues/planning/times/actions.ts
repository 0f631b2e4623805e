import { defineActions } from '../../../../api/access/actions.ts';

const rule = { on: 'repository', level: 'read', unit: ['issues'], signedIn: true } as const;
const why = 'only contributors, the author and the assignees of an issue can track time on it';

/** The settings of the repository decide who may track time; the service checks that. */
export const TIME = defineActions('tracked-time', {
  read: { ...rule, scopes: ['read:issue'] },
  change: { ...rule, scopes: ['write:issue'], why },
  watch: { on: 'repository', level: 'write', unit: ['issues'], scopes: ['write:issue'] },
  listOwn: { on: 'self', scopes: ['read:user', 'read:issue'] },
});
