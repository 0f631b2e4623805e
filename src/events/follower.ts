import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { Loop } from '../core/loop.ts';
import type { Database, Tx } from '../database/database.ts';
import type { EventKind, RecordedEvent } from './model.ts';
import { findNewestPosition, findReaderPosition, insertReader, moveReader, readEvents } from './store.ts';

export interface Following {
  /** stays the same for ever: the position is remembered under it */
  readonly name: string;
  readonly kinds?: readonly EventKind[];
  /**
   * Writes down what follows from the events, in the transaction that moves the position past them: once for each event,
   * whatever becomes of the process. What is to be done outside of the database is a job.
   */
  take(tx: Tx, events: readonly RecordedEvent[]): Promise<void>;
}

/**
 * Takes all events one after the other, from when it was first known; several processes may follow under one name.
 */
export class EventFollower {
  readonly #database: Database;
  readonly #following: Following;

  constructor(options: { database: Database; following: Following }) {
    this.#database = options.database;
    this.#following = options.following;
  }

  /** @returns how many events were taken here */
  async catchUp(): Promise<number> {
    let taken = 0;
    for (;;) {
      const batch = await this.#takeBatch();
      if (batch === 'none left') return taken;
      taken += batch;
    }
  }

  async #takeBatch(): Promise<number | 'none left'> {
    const { name, kinds, take } = this.#following;
    const from = await this.#position();
    const { events, position } = await readEvents(this.#database.reader, {
      after: from,
      limit: LIMITS.eventsReadAtOnceMax,
      ...(kinds === undefined ? {} : { kinds }),
    });
    if (position === from) return 'none left';
    return this.#database.transaction(async (tx) => {
      // Another process was faster: it took these, and we go on from where it is.
      if (!(await moveReader(tx, name, { from, to: position }))) return 0;
      if (events.length > 0) await take(tx, events);
      return events.length;
    });
  }

  async #position(): Promise<number> {
    const { name } = this.#following;
    const known = await findReaderPosition(this.#database.reader, name);
    if (known !== undefined) return known;
    await this.#database.transaction(async (tx) => {
      await insertReader(tx, name, await findNewestPosition(tx));
    });
    return (await findReaderPosition(this.#database.reader, name)) ?? 0;
  }
}

/**
 * Keeps a follower going: after each hint, and now and then by itself.
 *
 * @returns ends it, after the batch that it is at
 */
export function keepFollowing(
  follower: EventFollower,
  options: { database: Database; clock: Clock; log: Log },
): () => Promise<void> {
  const loop = new Loop({
    clock: options.clock,
    async step() {
      try {
        await follower.catchUp();
      } catch (error) {
        options.log.warn({ err: error }, 'events could not be taken: trying again');
      }
      return LIMITS.hintsMissedMs;
    },
  });
  const deafen = options.database.onHint('events', () => loop.wake());
  loop.start();
  return async () => {
    deafen();
    await loop.stop();
  };
}
