import type { Tx } from '../../base/database/database.ts';
import type { EventKind, NewEvent } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';

/** Records an event of a team; `repositoryId` is the repository that the team gets or loses. */
export function announce<Payload>(
  tx: Tx,
  actorId: number | null,
  kind: EventKind<Payload>,
  payload: NoInfer<Payload>,
  also: Partial<Pick<NewEvent<Payload>, 'repositoryId' | 'former' | 'audit'>> = {},
): Promise<void> {
  return insertEvent(tx, kind, { actorId, repositoryId: null, payload, ...also });
}
