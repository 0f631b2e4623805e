import type { Log } from '../core/log.ts';
import { type Clock, SYSTEM_CLOCK } from '../core/time/clock.ts';
import { Loop } from '../core/time/loop.ts';
import type { Database, Tx } from '../database/database.ts';
import { onRestedHint } from '../database/rested-hints.ts';
import { EVENT_LIMITS } from './limits.ts';
import type { EventKind, RecordedEvent } from './model.ts';
import {
  findDeletedTo,
  findNewestPosition,
  findReaderPosition,
  insertReader,
  moveReader,
  readEvents,
} from './store.ts';

export interface Following<Prepared = undefined> {
  /** never changes, because the position is stored under it */
  readonly name: string;
  readonly kinds?: readonly EventKind[];
  /** `oldest`: also handles the events that are kept when the name is first used; absent: only later ones */
  readonly startsAt?: 'oldest';
  /** Events that one transaction handles; absent: `EVENT_LIMITS.eventsReadAtOnceMax`. */
  readonly atOnceMax?: number;
  /**
   * Reads what `handle` needs from outside of the database, before the transaction. Runs again if the process dies before
   * the events are handled. An error delays all later events, so it must not depend on a single event.
   */
  prepare?(events: readonly RecordedEvent[]): Promise<Prepared>;
  /**
   * Writes the effects of the events in the transaction that moves the position past them, so each event is handled
   * exactly once, even if the process dies. Work outside the database is a job.
   *
   * @param prepared what `prepare` returned
   */
  handle(tx: Tx, events: readonly RecordedEvent[], prepared: Prepared | undefined): Promise<void>;
  /**
   * Reads whether one of the events has effects, so that others need no transaction. It may be called again for the same
   * events. Absent: all of them may have.
   */
  hasEffects?(events: readonly RecordedEvent[]): Promise<boolean>;
}

interface Dependencies<Prepared> {
  readonly database: Database;
  readonly following: Following<Prepared>;
  readonly clock?: Clock;
}

/** Handles all events in order, from when its name is first used. Several processes may follow under one name. */
export class EventFollower<Prepared = undefined> {
  readonly #use: Dependencies<Prepared>;
  readonly #clock: Clock;
  /** Up to here, this process has found no event of the kinds that it handles since the stored position. */
  #skippedTo = 0;
  #storedAt = 0;
  #last: Promise<number> = Promise.resolve(0);

  constructor(options: Dependencies<Prepared>) {
    this.#use = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Makes sure that the next event is handled. Does nothing if the name is known. */
  async register(): Promise<void> {
    await this.#position();
  }

  /** Runs after the calls before. @returns how many events this process handled */
  catchUp(): Promise<number> {
    const caughtUp = this.#last.then(() => this.#catchUp());
    this.#last = caughtUp.catch(() => 0);
    return caughtUp;
  }

  async #catchUp(): Promise<number> {
    let taken = 0;
    for (;;) {
      const batch = await this.#handleBatch();
      if (batch === 'none left') return taken;
      taken += batch;
    }
  }

  async #handleBatch(): Promise<number | 'none left'> {
    const { following } = this.#use;
    const { name, kinds, atOnceMax = EVENT_LIMITS.eventsReadAtOnceMax } = following;
    const from = await this.#position();
    const { events, position } = await readEvents(this.#use.database.reader, {
      after: Math.max(from, this.#skippedTo),
      limit: atOnceMax,
      ...(kinds === undefined ? {} : { kinds }),
    });
    if (position === from) return 'none left';
    const hasEffects = events.length > 0 && (await (following.hasEffects?.(events) ?? true));
    if (!hasEffects && this.#isStoredLately()) {
      this.#skippedTo = position;
      return events.length === 0 ? 'none left' : 0;
    }
    const prepared = hasEffects ? await following.prepare?.(events) : undefined;
    this.#storedAt = this.#clock.now();
    return this.#use.database.transaction(async (tx) => {
      // Another process was faster and handled these: continue from its position.
      if (!(await moveReader(tx, name, { from, to: position }))) return 0;
      if (hasEffects) await following.handle(tx, events, prepared);
      return events.length;
    });
  }

  /** A transaction for each event of other kinds would cost as much as the changes that they record. */
  #isStoredLately(): boolean {
    return this.#clock.now() - this.#storedAt < EVENT_LIMITS.positionStoredEveryMs;
  }

  async #position(): Promise<number> {
    const { name, startsAt } = this.#use.following;
    const known = await findReaderPosition(this.#use.database.reader, name);
    if (known !== undefined) return known;
    await this.#use.database.transaction(async (tx) => {
      await insertReader(
        tx,
        name,
        await (startsAt === 'oldest' ? findDeletedTo(tx) : findNewestPosition(tx)),
      );
    });
    return (await findReaderPosition(this.#use.database.reader, name)) ?? 0;
  }
}

/**
 * Runs a follower after each hint, and at intervals in case a hint was missed.
 *
 * @returns stops it, after the current batch
 */
export function followEvents<Prepared>(
  follower: EventFollower<Prepared>,
  options: { database: Database; clock: Clock; log: Log },
): () => Promise<void> {
  const loop = new Loop({
    clock: options.clock,
    async step() {
      try {
        await follower.catchUp();
      } catch (error) {
        options.log.warn({ err: error }, 'events could not be handled: trying again');
      }
      return EVENT_LIMITS.hintsMissedMs;
    },
  });
  const unsubscribe = onRestedHint(options.database, 'events', () => loop.wake());
  loop.start();
  return async () => {
    unsubscribe();
    await loop.stop();
  };
}
