import type { PublicAccount } from '../accounts/model.ts';

type Visible = Pick<PublicAccount, 'id' | 'visibility'>;

/** Whether more people would see a public repository of `to` than one of `from`. */
export function wouldBeSeenByMore(from: Visible, to: Visible): boolean {
  // Each private account has its own viewers.
  if (from.visibility === 'private') return from.id !== to.id;
  return from.visibility === 'limited' && to.visibility === 'public';
}
