import { isFailure } from '../../base/core/failure.ts';
import type { Log } from '../../base/core/log.ts';
import { currentTimeMs, SYSTEM_CLOCK } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { EventFollower, followEvents } from '../../base/events/follower.ts';
import type { RecordedEvent } from '../../base/events/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { ACTIVITY_KINDS, draftsOf } from './kinds.ts';
import { ACTIVITY_LIMITS } from './limits.ts';
import type { Draft, NewActivity } from './model.ts';
import { contentWithoutCommits, readPushContent } from './pushed-commits.ts';
import { deleteOldActivities, findDismissals, insertActivities } from './store/write.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly jobs: Jobs;
}

/** Contents of pushes by the position of the event and the ref. */
type Contents = ReadonlyMap<string, string>;

/** Turns events into activities, each event exactly once, shortly after its commit. */
export class ActivityRecorder {
  readonly #use: Dependencies;
  readonly #follower: EventFollower<Contents>;
  #log: Log | undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { database, jobs } = dependencies;
    this.#follower = new EventFollower<Contents>({
      database,
      following: {
        name: 'activities',
        startsAt: 'oldest',
        kinds: ACTIVITY_KINDS,
        atOnceMax: ACTIVITY_LIMITS.eventsAtOnceMax,
        prepare: (events) => this.#readContents(events),
        handle: (tx, events, contents) => record(tx, events, contents),
      },
    });
    jobs.schedule('activities.prune', ACTIVITY_LIMITS.pruneEveryMs, (_, { signal }) => this.#prune(signal));
  }

  /** Makes sure that no event from here on is missed. */
  register(): Promise<void> {
    return this.#follower.register();
  }

  /** Records everything that has happened so far. */
  async catchUp(): Promise<void> {
    await this.#follower.catchUp();
  }

  /** Records until the function that it returns is called. */
  start({ log }: { log: Log }): () => Promise<void> {
    this.#log = log;
    return followEvents(this.#follower, { database: this.#use.database, clock: SYSTEM_CLOCK, log });
  }

  async #readContents(events: readonly RecordedEvent[]): Promise<Contents> {
    const contents = new Map<string, string>();
    for (const event of events)
      for (const draft of draftsOf(event))
        if (draft.move !== undefined) contents.set(keyOf(event, draft), await this.#contentOf(event, draft));
    return contents;
  }

  /** An activity without its commits is better than none, and than a damaged repository that delays all others. */
  async #contentOf(event: RecordedEvent, { move, refName = '' }: Draft): Promise<string> {
    const { repositoryId, ownerName, repositoryName } = event;
    if (repositoryId === null || move === undefined) return contentWithoutCommits();
    const repository = [ownerName ?? '', repositoryName ?? ''].map(encodeURIComponent).join('/');
    try {
      const snapshot = await this.#use.git.refs.open(repositoryId);
      return await readPushContent(this.#use.git, snapshot, { move, refName, repository });
    } catch (error) {
      if (isFailure(error, 'busy')) throw error;
      if (!isFailure(error, 'not_found'))
        this.#log?.warn({ err: error }, 'the commits of a push could not be read');
      return contentWithoutCommits();
    }
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const before = currentTimeMs() - ACTIVITY_LIMITS.keptMs;
    for (;;) {
      signal.throwIfAborted();
      const count = await this.#use.database.transaction((tx) => deleteOldActivities(tx, before));
      if (count < ACTIVITY_LIMITS.prunedAtOnceMax) return;
    }
  }
}

function keyOf({ position }: RecordedEvent, { refName }: Draft): string {
  return `${position} ${refName}`;
}

async function record(
  tx: Tx,
  events: readonly RecordedEvent[],
  contents: Contents = new Map(),
): Promise<void> {
  const drafts = events.flatMap((event) => draftsOf(event).map((draft) => ({ event, draft })));
  const dismissed = drafts.flatMap(({ draft: { opType, reviewId } }) =>
    opType === 'pull_review_dismissed' && reviewId !== undefined ? [reviewId] : [],
  );
  const dismissals = await findDismissals(tx, dismissed);
  const activities = drafts.flatMap(({ event, draft: { move, ...draft } }): NewActivity[] => {
    const { repositoryId, ownerId, at } = event;
    if (repositoryId === null || ownerId === null) return [];
    const dismissal = dismissals.get(draft.reviewId ?? 0);
    const isDismissal = draft.opType === 'pull_review_dismissed';
    const content =
      move === undefined ? (isDismissal ? dismissal : draft.content) : contents.get(keyOf(event, draft));
    // What a deploy key, a mirror or the server does, it does for the owner.
    const actorId = event.actorId ?? ownerId;
    return [{ ...draft, content: content ?? '', actorId, repositoryId, ownerId, at }];
  });
  await insertActivities(tx, activities);
}
