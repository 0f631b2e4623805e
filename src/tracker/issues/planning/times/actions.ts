import { defineActions } from '../../../../api/access/actions.ts';
import { TRACKER_UNITS } from '../../../../api/access/levels.ts';

const rule = { on: 'repository', level: 'read', unit: TRACKER_UNITS, signedIn: true } as const;
const why = 'only contributors, the author and the assignees of an issue can track time on it';

/** The settings of the repository decide who may track time; the service checks that. */
export const TIME = defineActions('tracked-time', {
  read: { ...rule, scopes: ['read:issue'] },
  change: { ...rule, scopes: ['write:issue'], why },
  watch: { on: 'repository', level: 'write', unit: TRACKER_UNITS, scopes: ['write:issue'] },
  listOwn: { on: 'self', scopes: ['read:user', 'read:issue'] },
});
