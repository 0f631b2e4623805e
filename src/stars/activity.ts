import { overridesRights, type Viewer } from '../access/viewer.ts';
import type { Account } from '../accounts/model.ts';

/** Whether the viewer is told what somebody does, such as starring something: some keep it to themselves. */
export function isActivityTold(viewer: Viewer, account: Account): boolean {
  return !account.hidesActivity || overridesRights(viewer) || viewer.accountId === account.id;
}
