import type { Tx } from '../database/database.ts';
import type { EventKind } from '../events/model.ts';
import { insertEvent } from '../events/store.ts';

/** Records an event of an organization. */
export function announce<Payload>(
  tx: Tx,
  actorId: number | null,
  kind: EventKind<Payload>,
  payload: NoInfer<Payload>,
): Promise<void> {
  return insertEvent(tx, kind, { actorId, repositoryId: null, payload });
}
