import { overridesRights, type Viewer } from '../../api/access/viewer.ts';
import type { Account } from '../../people/accounts/model.ts';

/** Whether the viewer may see the activity of an account, such as stars. Users may hide it. */
export function isActivityVisible(viewer: Viewer, account: Account): boolean {
  return !account.hidesActivity || overridesRights(viewer) || viewer.accountId === account.id;
}
