import type { Tx } from '../database/database.ts';
import type { EventPayloads } from '../events/model.ts';
import { insertEvent } from '../events/store.ts';

type OrganizationEvent = Extract<keyof EventPayloads, `organization.${string}`>;

export function announce<Kind extends OrganizationEvent>(
  tx: Tx,
  actorId: number | null,
  kind: Kind,
  payload: EventPayloads[Kind],
): Promise<void> {
  return insertEvent(tx, { kind, actorId, repositoryId: null, payload });
}
