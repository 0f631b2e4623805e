import { BY_PASSWORD, type SignedIn, viewerOf } from '../../../api/access/viewer.ts';
import { isFailure, undefinedIf } from '../../../base/core/failure.ts';
import { SealError } from '../../../base/core/sealing.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { type EventScope, insertEvent, readEvents, readEventsAt } from '../../../base/events/store.ts';
import type { OutboundClient } from '../../../base/outbound/client.ts';
import { maySignIn } from '../../../people/accounts/model.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { branchFilterOf } from '../branch-filter.ts';
import { coveredBy } from '../event-names.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import type { Attempt, DeliveringHook, Delivery, HookProgress, Payload } from '../model.ts';
import type { PayloadServices, PlannedDelivery } from '../payloads/model.ts';
import { readTest } from '../payloads/refs.ts';
import { DELIVERED_KINDS, planDeliveries } from '../payloads/table.ts';
import { stoppedEvent } from '../places.ts';
import type { HookSealer, HookSecrets } from '../secrets.ts';
import type { StopNotices } from '../stops/notify.ts';
import {
  type DeliveryKey,
  deleteSurplus,
  findRequested,
  recordAttempt,
  setImpossible,
} from '../store/deliveries.ts';
import { moveHook, postponeHook, requeueHook, restHook, type Standing, stopHook } from '../store/turns.ts';
import { buildOf } from './build.ts';
import { type Content, compose } from './compose.ts';
import { deliveryId } from './delivery-id.ts';
import { send, unsent } from './send.ts';

export interface TurnDependencies extends PayloadServices {
  readonly database: Database;
  readonly outbound: OutboundClient;
  readonly accounts: Accounts;
  readonly hookSealer: HookSealer;
  readonly stopNotices: StopNotices;
}

/** Why a turn ends. `moved`: the webhook was changed meanwhile, so it is read again. */
type End = 'done' | 'more' | 'failed' | 'moved';

/** Failures of a delivery before this turn. */
type Failures = Pick<DeliveringHook, 'attempts' | 'waitingSince' | 'failingSince'>;

const NO_FAILURE: Failures = { attempts: 0, waitingSince: null, failingSince: null };

interface Tried {
  readonly attempt: Attempt;
  /** whether another attempt may succeed */
  readonly isRepeatable: boolean;
}

/** A delivery that a webhook wants, with its place in the event log. */
interface Wanted {
  readonly plan: PlannedDelivery;
  readonly position: number;
  readonly part: number;
  /** where the webhook stands after it */
  readonly next: HookProgress;
}

/**
 * The turn of one webhook: what was requested by hand first, and then the events that it has not handled yet, one
 * delivery after the other. Where it stands is recorded together with each delivery, so a process that dies repeats at
 * most one.
 */
export class HookTurn {
  readonly #use: TurnDependencies;
  readonly #hook: DeliveringHook;
  readonly #signal: AbortSignal;
  readonly #endsAt = performance.now() + WEBHOOK_LIMITS.turnMs;
  #at: Standing;
  #reader: SignedIn | undefined;
  #secrets: HookSecrets | SealError | undefined;
  /** all attempts of the turn */
  #sent = 0;
  /** Whether the next delivery of an event is the one that has failed before. */
  #isFirst = true;

  constructor(use: TurnDependencies, hook: DeliveringHook, signal: AbortSignal) {
    this.#use = use;
    this.#hook = hook;
    this.#signal = signal;
    this.#at = hook;
  }

  /** @throws the reason of the signal; ForgeError `busy`; what the database throws */
  async run(): Promise<void> {
    const { database } = this.#use;
    const hook = this.#hook;
    this.#reader = await this.#findReader();
    const end = await this.#send();
    if (end === 'failed' || end === 'moved') return;
    await database.transaction(async (tx) => {
      if (end === 'done') await restHook(tx, hook);
      else await requeueHook(tx, hook.id, currentTimeMs());
      if (this.#sent > 0) await deleteSurplus(tx, hook.id, WEBHOOK_LIMITS.deliveriesKeptPerHookMax);
    });
  }

  async #send(): Promise<End> {
    const { isActive, retryAt } = this.#hook;
    if (!(await this.#sendRequested())) return 'more';
    const isReady = isActive && (retryAt ?? 0) <= currentTimeMs();
    return isReady ? this.#sendEvents() : 'done';
  }

  /** Finds the viewer for whom payloads are rendered; undefined if the account is gone or may not sign in. */
  async #findReader(): Promise<SignedIn | undefined> {
    const { readerId } = this.#hook;
    const account = readerId === null ? undefined : await this.#use.accounts.findSignInById(readerId);
    return account !== undefined && maySignIn(account) ? viewerOf(account, BY_PASSWORD) : undefined;
  }

  get #isOver(): boolean {
    return this.#sent >= WEBHOOK_LIMITS.deliveriesPerTurnMax || performance.now() > this.#endsAt;
  }

  async #sendEvents(): Promise<End> {
    const { database } = this.#use;
    const covered = coveredBy(this.#hook.events);
    for (;;) {
      this.#signal.throwIfAborted();
      const { events, position } = await readEvents(database.reader, {
        after: this.#at.position,
        limit: WEBHOOK_LIMITS.eventsPerReadMax,
        kinds: DELIVERED_KINDS,
        scope: scopeOf(this.#hook),
      });
      for (const wanted of this.#wantedOf(events, covered)) {
        const end = await this.#sendWanted(wanted);
        if (end !== undefined) return end;
        if (this.#isOver) return (await this.#passTo(wanted.next)) ? 'more' : 'moved';
      }
      if (!(await this.#passTo({ position, part: 0 }))) return 'moved';
      if (events.length === 0) return 'done';
      if (this.#isOver) return 'more';
    }
  }

  /** Returns the deliveries of some events that are still to be made, and that the webhook wants. */
  *#wantedOf(events: readonly RecordedEvent[], covered: ReturnType<typeof coveredBy>): Generator<Wanted> {
    const filter = branchFilterOf(this.#hook.branchFilter);
    const { position: from, part: done } = this.#at;
    for (const event of events) {
      const { position } = event;
      const plans = planDeliveries(event);
      const first = position === from + 1 ? done : 0;
      for (const [part, plan] of plans.entries()) {
        const isLast = part === plans.length - 1;
        const next = isLast ? { position, part: 0 } : { position: position - 1, part: part + 1 };
        const { name, branch } = plan;
        if (part >= first && covered.has(name) && (branch === null || filter.includes(branch)))
          yield { plan, position, part, next };
      }
    }
  }

  /** @returns undefined if the turn goes on */
  async #sendWanted({ plan, position, part, next }: Wanted): Promise<End | undefined> {
    const payload = await this.#read((reader) => plan.read(this.#use, reader));
    if (payload === undefined) return undefined;
    const uuid = deliveryId(this.#hook.key, { position, part });
    const tried = await this.#attempt({ uuid, name: plan.name, payload });
    if (tried === undefined) return undefined;
    const { attempt, isRepeatable } = tried;
    this.#sent += 1;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const key = { hookId: this.#hook.id, uuid, position, part, event: plan.name };
    const isSuccess = attempt.error === '';
    // Only the first delivery of a turn has failed before.
    const before = isFirst ? this.#hook : NO_FAILURE;
    return this.#use.database.transaction(async (tx) => {
      if (isSuccess || !isRepeatable || isOlderThan(before.waitingSince, WEBHOOK_LIMITS.retriedMs)) {
        if (!(await this.#move(tx, next, isSuccess))) return 'moved';
        await recordAttempt(tx, key, attempt, isSuccess ? 'delivered' : 'failed');
        return undefined;
      }
      return this.#postpone(tx, { key, attempt, before });
    });
  }

  async #postpone(
    tx: Tx,
    { key, attempt, before }: { key: DeliveryKey; attempt: Attempt; before: Failures },
  ): Promise<End> {
    const { error } = attempt;
    const { id } = this.#hook;
    const { attempts } = before;
    const now = currentTimeMs();
    const pause = Math.min(
      WEBHOOK_LIMITS.retryMsMin * 2 ** Math.min(attempts, 20),
      WEBHOOK_LIMITS.retryMsMax,
    );
    if (!(await postponeHook(tx, this.#at, { now, retryAt: now + pause, error }))) return 'moved';
    const isStopped = isOlderThan(before.failingSince, WEBHOOK_LIMITS.failingMsMax);
    await recordAttempt(tx, key, attempt, isStopped ? 'failed' : 'waiting');
    if (isStopped) {
      await stopHook(tx, id, now);
      const { kind, ...event } = stoppedEvent(this.#hook, error);
      await insertEvent(tx, kind, event);
      await this.#use.stopNotices.take(tx, { id, at: now });
    }
    return 'failed';
  }

  /** @returns false if the webhook was moved, deleted or made inactive meanwhile */
  async #move(tx: Tx, to: HookProgress, hasSucceeded: boolean): Promise<boolean> {
    if (!(await moveHook(tx, this.#at, to, { hasSucceeded }))) return false;
    this.#at = { id: this.#hook.id, ...to };
    return true;
  }

  /**
   * Remembers that nothing before a place is left, also if nothing of it was delivered: the next turn must not look at it
   * again.
   *
   * @returns as `#move`
   */
  async #passTo(to: Omit<HookProgress, 'id'>): Promise<boolean> {
    const { position, part } = this.#at;
    if (position === to.position && part === to.part) return true;
    return this.#use.database.transaction((tx) => this.#move(tx, to, false));
  }

  /** Reads a payload as the reader may see it; undefined if there is nothing that the reader may see. */
  #read(read: (reader: SignedIn) => Promise<Payload | undefined>): Promise<Payload | undefined> {
    const reader = this.#reader;
    if (reader === undefined) return Promise.resolve(undefined);
    return read(reader).catch(undefinedIf('not_found', 'forbidden'));
  }

  /** @returns undefined if the type of the webhook has no form for this event */
  async #attempt(content: Omit<Content, 'now'>): Promise<Tried | undefined> {
    const hook = this.#hook;
    this.#secrets ??= this.#openSecrets();
    const about = { method: hook.httpMethod, url: hook.url };
    // An operator can bring the key back.
    if (this.#secrets instanceof SealError)
      return { attempt: unsent(about, this.#secrets.message), isRepeatable: true };
    const payload =
      hook.type === 'sourcehut_builds' ? await buildOf(this.#use, hook, content) : content.payload;
    if (payload === undefined) return undefined;
    const now = Math.floor(currentTimeMs() / 1000);
    const request = compose(hook, this.#secrets, { ...content, payload, now });
    if (request === undefined) return undefined;
    const { payloadBytesMax, addressCharsMax } = WEBHOOK_LIMITS;
    const what =
      request.url.href.length > addressCharsMax
        ? `the payload makes the address longer than ${addressCharsMax} characters: use POST`
        : `the payload has more than ${payloadBytesMax} bytes`;
    if (request.url.href.length > addressCharsMax || Buffer.byteLength(request.body) > payloadBytesMax)
      return { attempt: unsent(about, what), isRepeatable: false };
    return { attempt: await send(this.#use.outbound, request, this.#signal), isRepeatable: true };
  }

  #openSecrets(): HookSecrets | SealError {
    try {
      return this.#use.hookSealer.open(this.#hook);
    } catch (error) {
      if (error instanceof SealError) return error;
      throw error;
    }
  }

  /**
   * Makes the attempts that someone requested. Each is the only one, and does not change where the webhook stands.
   *
   * @returns whether none is left
   */
  async #sendRequested(): Promise<boolean> {
    const { database } = this.#use;
    for (;;) {
      this.#signal.throwIfAborted();
      const requested = await findRequested(database.reader, this.#hook.id);
      if (requested === undefined) return true;
      if (this.#isOver) return false;
      const attempt = (await this.#attemptAgain(requested))?.attempt;
      await database.transaction((tx) =>
        attempt === undefined
          ? setImpossible(tx, requested.id, 'there is nothing to deliver that the webhook may show')
          : recordAttempt(
              tx,
              { hookId: this.#hook.id, ...requested },
              attempt,
              attempt.error === '' ? 'delivered' : 'failed',
            ),
      );
      this.#sent += 1;
    }
  }

  async #attemptAgain(requested: Delivery): Promise<Tried | undefined> {
    const { uuid, position, part, event: name } = requested;
    const payload = await this.#read((reader) =>
      position === null ? this.#readTest(reader, requested) : this.#readAgain(reader, { position, part }),
    );
    return payload && this.#attempt({ uuid, name, payload });
  }

  async #readTest(reader: SignedIn, { ref }: Delivery): Promise<Payload | undefined> {
    const { repositoryId } = this.#hook;
    return repositoryId === null ? undefined : readTest(this.#use, reader, { repositoryId, ref });
  }

  async #readAgain(
    reader: SignedIn,
    { position, part }: { position: number; part: number },
  ): Promise<Payload | undefined> {
    const [event] = await readEventsAt(this.#use.database.reader, [position]);
    const plan = event === undefined ? undefined : planDeliveries(event)[part];
    return plan?.read(this.#use, reader);
  }
}

function isOlderThan(since: number | null, ms: number): boolean {
  return since !== null && currentTimeMs() - since > ms;
}

function scopeOf({ repositoryId, ownerId }: DeliveringHook): EventScope | undefined {
  if (repositoryId !== null) return { of: 'repository', id: repositoryId };
  return ownerId === null ? undefined : { of: 'owner', id: ownerId };
}

/** Whether a turn failed because this server is at a limit. */
export function isOwnFailure(error: unknown): boolean {
  return isFailure(error, 'busy');
}
