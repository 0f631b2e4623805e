import type { Tx } from '../database/database.ts';
import type { EventPayloads } from '../events/model.ts';
import { insertEvent } from '../events/store.ts';

type TeamEvent = Extract<keyof EventPayloads, `team.${string}`>;

export function announce<Kind extends TeamEvent>(
  tx: Tx,
  actorId: number | null,
  kind: Kind,
  payload: EventPayloads[Kind],
  repositoryId: number | null = null,
): Promise<void> {
  return insertEvent(tx, { kind, actorId, repositoryId, payload });
}
