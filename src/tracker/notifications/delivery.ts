import type { Log } from '../../base/core/log.ts';
import { Signal } from '../../base/core/signal.ts';
import { SYSTEM_CLOCK } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { EventFollower, followEvents } from '../../base/events/follower.ts';
import type { RecordedEvent } from '../../base/events/model.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { NOTIFIED_KINDS, type Notice, noticesOf } from './notices.ts';
import { listConcerned, listMembers, listMentioned, upsertThreads } from './store/delivery.ts';

/** A notice that a transaction could not deliver to everyone. */
interface Rest {
  readonly notice: Notice;
  /** id of the last account that has it */
  readonly after: number;
}

/** Users whom a notice has reached. */
export interface Notified {
  readonly notice: Notice;
  readonly accountIds: readonly number[];
}

const DELIVER_REST = defineJob<Rest>('notifications.deliver-rest');

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
}

/**
 * Turns events of issues into notifications. The transaction that handles events delivers each to a bounded number of
 * users; a job delivers it to the others, if a repository has so many watchers. A thread takes in each event once, so
 * the job may run again.
 */
export class NotificationDelivery {
  readonly #use: Dependencies;
  readonly #follower: EventFollower;
  /** Users have new notifications. In the transaction that writes them. */
  readonly notified = new Signal<[tx: Tx, notified: Notified]>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#follower = new EventFollower({
      database: this.#use.database,
      following: {
        name: 'notifications',
        kinds: NOTIFIED_KINDS,
        atOnceMax: NOTIFICATION_LIMITS.eventsNotifiedAtOnceMax,
        handle: (tx, events) => this.#handle(tx, events),
      },
    });
    this.#use.jobs.register(DELIVER_REST, (rest, { signal }) => this.#deliverRest(rest, signal), {
      atOnceMax: 1,
    });
  }

  /** Makes sure that no event from here on is missed. */
  register(): Promise<void> {
    return this.#follower.register();
  }

  /** Delivers what is to be delivered now. */
  async catchUp(): Promise<void> {
    await this.#follower.catchUp();
  }

  /** Delivers until the function that it returns is called. */
  start({ log }: { log: Log }): () => Promise<void> {
    return followEvents(this.#follower, { database: this.#use.database, clock: SYSTEM_CLOCK, log });
  }

  async #handle(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    for (const notice of noticesOf(events)) {
      const after = await this.#deliver(tx, notice, 0);
      if (after !== 'done') await this.#use.jobs.enqueue(tx, DELIVER_REST, { payload: { notice, after } });
    }
  }

  async #deliverRest({ notice, after }: Rest, signal: AbortSignal): Promise<void> {
    let last: number | 'done' = after;
    while (last !== 'done') {
      signal.throwIfAborted();
      const from: number = last;
      last = await this.#use.database.transaction((tx) => this.#deliver(tx, notice, from));
    }
  }

  /**
   * Delivers a notice to a bounded number of users, in the order of their ids.
   *
   * @param after id of the last one who has it
   * @returns the id of the last one now, or that there are no others
   */
  async #deliver(tx: Tx, notice: Notice, after: number): Promise<number | 'done'> {
    const limit = NOTIFICATION_LIMITS.notificationsDeliveredAtOnceMax;
    const ids = await listNext(tx, notice, { after, limit });
    const accountIds = await upsertThreads(tx, notice, ids, { isNews: notice.to === 'mentioned' });
    if (accountIds.length > 0) await this.notified.notify(tx, { notice, accountIds });
    const last = ids.at(-1);
    return last === undefined || ids.length < limit ? 'done' : last;
  }
}

function listNext(
  tx: Tx,
  notice: Notice,
  part: { after: number; limit: number },
): Promise<readonly number[]> | readonly number[] {
  if (notice.to === 'concerned') return listConcerned(tx, notice, part);
  if (notice.to === 'mentioned') return listMentioned(tx, notice, part);
  if ('teamId' in notice.to) return listMembers(tx, notice.to.teamId, part);
  return notice.to
    .toSorted((one, other) => one - other)
    .filter((id) => id > part.after)
    .slice(0, part.limit);
}
