import type { PlainAction } from '../../api/access/actions.ts';
import { requireGranted } from '../../api/access/guard.ts';
import { decidePlain } from '../../api/access/policy.ts';
import type { Viewer } from '../../api/access/viewer.ts';

/** The actor of an administrative change: a viewer on a wire, or the operator at the command line. */
export type Actor = Viewer | 'operator';

/** Returns the actor's id for events; null for the operator. */
export function actorId(actor: Actor): number | null {
  return actor === 'operator' ? null : actor.accountId;
}

/** @throws ForgeError `unauthenticated`, `forbidden` */
export function requireAdministration(actor: Actor, action: PlainAction): void {
  if (actor === 'operator') return;
  requireGranted(decidePlain(actor, action), action);
}
