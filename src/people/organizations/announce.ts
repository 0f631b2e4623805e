import type { Tx } from '../../base/database/database.ts';
import type { EventKind, NewEvent } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';

/** Records an event of an organization. */
export function announce<Payload>(
  tx: Tx,
  actorId: number | null,
  kind: EventKind<Payload>,
  payload: NoInfer<Payload>,
  also: Pick<NewEvent<Payload>, 'former' | 'audit'> = {},
): Promise<void> {
  return insertEvent(tx, kind, { actorId, repositoryId: null, payload, ...also });
}
