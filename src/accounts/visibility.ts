import type { Viewer } from '../access/viewer.ts';
import type { PublicAccount } from './model.ts';

/** Whether `viewer` may know that the account exists. */
export function isVisible(account: Pick<PublicAccount, 'id' | 'visibility'>, viewer: Viewer): boolean {
  if (account.visibility === 'public') return true;
  // A token for public things alone sees nothing else, whoever it belongs to.
  if (viewer.publicOnly || viewer.accountId === null) return false;
  if (viewer.isAdmin || viewer.accountId === account.id) return true;
  return account.visibility === 'limited' && !viewer.isRestricted;
}
