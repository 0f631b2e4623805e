import { setImmediate as nextTurn } from 'node:timers/promises';
import { isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError, isFailure } from '../../base/core/failure.ts';
import { currentCaller, runFor } from '../../base/core/fairness/caller.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { SYSTEM_CLOCK } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { Cursors } from './cursors.ts';
import { EVENT_FEED_LIMITS } from './limits.ts';
import type { FeedPage, FeedRequest, FeedScope, VisibleEvent } from './model.ts';
import { visibleAmong } from './sight.ts';
import { findLogBounds, scanEvents } from './store.ts';
import { EventWaiters } from './waiters.ts';

interface Dependencies {
  readonly database: Database;
  readonly authentication: Pick<Authentication, 'viewerAgain'>;
  readonly cursors: Cursors;
  /** absent: `EVENT_FEED_LIMITS` */
  readonly limits?: FeedLimits;
}

type FeedLimits = Pick<
  { readonly [Name in keyof typeof EVENT_FEED_LIMITS]: number },
  'heartbeatMs' | 'streamMs' | 'waitingMax' | 'waitingPerCallerMax' | 'waitingForSignedIn'
>;

/** The next events that a viewer sees, and how far the log was looked at. */
interface Found {
  readonly viewer: Viewer;
  readonly events: readonly VisibleEvent[];
  readonly position: number;
  readonly hasMore: boolean;
}

interface Search {
  readonly viewer: Viewer;
  readonly scope: FeedScope;
  readonly after: number;
  readonly limit: number;
}

interface Wait {
  readonly share: string;
  readonly signal: AbortSignal | undefined;
  /** ms on the clock of `performance` */
  readonly until: number;
}

interface Streaming {
  readonly next: (found: Found) => Promise<Found>;
  /** ms on the clock of `performance` */
  readonly endsAt: number;
  readonly leave: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * The event log as each viewer may see it now, in commit order. A page continues exactly where the one before has ended:
 * positions are in the order of commits, and rights are read after the events.
 */
export class EventFeed {
  readonly #use: Dependencies;
  readonly #waiters: EventWaiters;
  readonly #limits: FeedLimits;
  readonly #slots: FairSlots;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#limits = dependencies.limits ?? EVENT_FEED_LIMITS;
    this.#slots = new FairSlots({
      what: 'requests wait for events',
      unitsMax: this.#limits.waitingMax,
      unitsPerCallerMax: this.#limits.waitingPerCallerMax,
      unitsForSignedIn: this.#limits.waitingForSignedIn,
      // The client waits before it tries again, and a queue would only hide that from it.
      queueMax: 0,
      queuePerCallerMax: 0,
      waitMs: 0,
    });
    this.#waiters = new EventWaiters(dependencies.database);
  }

  /** Ends all requests that wait. */
  stop(): void {
    this.#waiters.stop();
  }

  /** @throws ForgeError `expired` if events after the cursor have been deleted */
  async read(viewer: Viewer, { scope, after, limit }: FeedRequest): Promise<FeedPage> {
    const position = await this.#start(after);
    return this.#pageOf(await this.#find({ viewer, scope, after: position, limit }));
  }

  /**
   * Waits until there are events for the viewer.
   *
   * @throws ForgeError as `read`; `busy` if too many requests wait; `unauthenticated`, `forbidden` if the credential is no
   *   longer valid
   */
  async wait(viewer: Viewer, { scope, after, limit }: FeedRequest, ms: number): Promise<FeedPage> {
    const position = await this.#start(after);
    const { share, left: signal } = currentCaller();
    const until = performance.now() + ms;
    const search = { viewer, scope, after: position, limit };
    return this.#slots.run(async () => this.#pageOf(await this.#next(search, { share, signal, until })));
  }

  /**
   * Returns pages as they come, and an empty one from time to time. A page is read when the one before was taken. Ends when
   * the credential is no longer valid, and after some time, so that its client continues with a new request.
   *
   * @throws ForgeError as `wait`, before the first page
   */
  async stream(viewer: Viewer, { scope, after, limit }: FeedRequest): Promise<AsyncGenerator<FeedPage>> {
    const position = await this.#start(after);
    const leave = await this.#slots.enter();
    const { left } = currentCaller();
    if (left?.aborted) leave();
    else left?.addEventListener('abort', leave, { once: true });
    try {
      const first = await this.#find({ viewer, scope, after: position, limit });
      return this.#pages(first, { scope, limit, leave });
    } catch (error) {
      leave();
      throw error;
    }
  }

  #pages(
    first: Found,
    options: { scope: FeedScope; limit: number; leave: () => void },
  ): AsyncGenerator<FeedPage> {
    const caller = currentCaller();
    const { share, left: signal } = caller;
    const endsAt = performance.now() + this.#limits.streamMs;
    const { scope, limit, leave } = options;
    const next = ({ viewer, position }: Found) => {
      const until = Math.min(performance.now() + this.#limits.heartbeatMs, endsAt);
      // The stream that reads the pages belongs to no request. Its client may have taken long for the page before.
      return runFor(caller, async () => {
        const search = { viewer: await this.#again(viewer), scope, limit, after: position };
        return this.#next(search, { share, signal, until });
      });
    };
    return this.#generate(first, { next, endsAt, leave, signal });
  }

  async *#generate(first: Found, { next, endsAt, leave, signal }: Streaming): AsyncGenerator<FeedPage> {
    try {
      for (let found = first; ; found = await next(found)) {
        yield this.#pageOf(found);
        if (this.#waiters.isStopped || performance.now() >= endsAt) return;
      }
    } catch (error) {
      // The client has left, or connects again and learns why.
      if (signal?.aborted !== true && !isFailure(error, 'unauthenticated', 'forbidden', 'expired'))
        throw error;
    } finally {
      leave();
    }
  }

  async #start(after: FeedRequest['after']): Promise<number> {
    const { deletedTo, newest } = await findLogBounds(this.#use.database.reader);
    if (after === undefined) return deletedTo;
    if (after === 'latest') return newest;
    if (after < deletedTo || after > newest) throw expired();
    return after;
  }

  /** Looks until there are events for the viewer, or the time is over. */
  async #next(search: Search, { share, signal, until }: Wait): Promise<Found> {
    let { viewer, after } = search;
    let restMs = 0;
    for (;;) {
      const version = this.#waiters.watch();
      const found = await this.#find({ ...search, viewer, after });
      if (found.events.length > 0) {
        // The credential may have ended before these events happened.
        await this.#again(viewer);
        return found;
      }
      if (this.#waiters.isStopped || performance.now() >= until) return found;
      after = found.position;
      if (found.hasMore) {
        await nextTurn();
        signal?.throwIfAborted();
        continue;
      }
      const waitedFrom = performance.now();
      await rest(restMs, signal);
      await this.#waiters.changed(version, { share, signal, ms: until - performance.now() });
      const isCalm = performance.now() - waitedFrom > EVENT_FEED_LIMITS.restAfterNothingMsMax;
      restMs = isCalm ? 0 : longerRest(restMs);
      viewer = await this.#again(viewer);
    }
  }

  /** Reads the account and its credential again, because a request may wait longer than they last. */
  async #again(viewer: Viewer): Promise<Viewer> {
    if (!isSignedIn(viewer) || viewer.source === undefined) return viewer;
    const { accountId, source } = viewer;
    return this.#use.authentication.viewerAgain({ accountId, source });
  }

  async #find({ viewer, scope, after, limit }: Search): Promise<Found> {
    const { database } = this.#use;
    let position = after;
    let bytes = 0;
    const events: VisibleEvent[] = [];
    const { newest } = await findLogBounds(database.reader);
    for (
      let scans = 0;
      scans < EVENT_FEED_LIMITS.scansPerPageMax && position < newest && events.length < limit;
      scans += 1
    ) {
      const scanned = await scanEvents(database.reader, viewer, {
        scope,
        after: position,
        newest,
        limit: limit - events.length,
        bytesMax: EVENT_FEED_LIMITS.pageBytesMax - bytes,
        isFirst: bytes === 0,
      });
      bytes += scanned.bytes;
      events.push(...(await visibleAmong(database, viewer, scanned.events)));
      // Events that were deleted before the scan would be missing without notice.
      if ((await findLogBounds(database.reader)).deletedTo > position) throw expired();
      position = scanned.position;
      if (scanned.isCut) break;
    }
    return { viewer, events, position, hasMore: position < newest };
  }

  #pageOf({ events, position, hasMore }: Found): FeedPage {
    const { cursors } = this.#use;
    return {
      events: events.map((each) => ({ ...each, cursor: cursors.ofEvent(each.event.position) })),
      cursor: cursors.ofPage(position),
      hasMore,
    };
  }
}

const NEVER = new AbortController().signal;

function longerRest(ms: number): number {
  const { restAfterNothingMs, restAfterNothingMsMax } = EVENT_FEED_LIMITS;
  return Math.min(Math.max(2 * ms, restAfterNothingMs), restAfterNothingMsMax);
}

async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await SYSTEM_CLOCK.wait(ms, signal ?? NEVER);
  signal?.throwIfAborted();
}

function expired(): ForgeError {
  const what =
    'events after this cursor are no longer kept: read again what you need, then continue with cursor=latest, or without a cursor from the oldest event that is kept';
  return new ForgeError({ kind: 'expired', what });
}
