import type { Log } from '../../../base/core/log.ts';
import { currentTimeMs, SYSTEM_CLOCK } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { EventFollower, followEvents } from '../../../base/events/follower.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { DELIVERED_KINDS } from '../payloads/table.ts';
import { type Concerned, hasConcerned, wakeHooks } from '../store/turns.ts';
import type { ShareTurns } from './share-turns.ts';

interface Dependencies {
  readonly database: Database;
  readonly shareTurns: ShareTurns;
}

/**
 * Makes webhooks due when there are events for them. The events stay in the log, where each webhook reads them from its
 * own position, so a webhook whose receiver is down costs nothing more for each event.
 */
export class HookWaking {
  readonly #use: Dependencies;
  readonly #follower: EventFollower;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { database } = dependencies;
    this.#follower = new EventFollower({
      database,
      following: {
        name: 'webhooks',
        kinds: DELIVERED_KINDS,
        hasEffects: (events) => hasConcerned(database.reader, concernedOf(events)),
        handle: (tx, events) => this.#handle(tx, events),
      },
    });
  }

  /** Makes sure that no event from here on is missed. */
  register(): Promise<void> {
    return this.#follower.register();
  }

  /** Looks at all events that have come until now. @returns how many had effects */
  catchUp(): Promise<number> {
    return this.#follower.catchUp();
  }

  /** Follows the event log until the function that it returns is called. */
  start({ log }: { log: Log }): () => Promise<void> {
    return followEvents(this.#follower, { database: this.#use.database, clock: SYSTEM_CLOCK, log });
  }

  async #handle(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    await this.#use.shareTurns.enqueue(tx, await wakeHooks(tx, concernedOf(events), currentTimeMs()));
  }
}

function concernedOf(events: readonly RecordedEvent[]): Concerned {
  const distinct = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);
  return {
    repositoryIds: distinct(events.map(({ repositoryId }) => repositoryId)),
    ownerIds: distinct(events.map(({ ownerId }) => ownerId)),
  };
}
