import { type Caller, runFor } from '../../../base/core/fairness/caller.ts';
import { KeyedLock } from '../../../base/core/fairness/keyed-lock.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Tx } from '../../../base/database/database.ts';
import { defineJob, type JobRun } from '../../../base/jobs/model.ts';
import type { Jobs } from '../../../base/jobs/service.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import type { DeliveringHook } from '../model.ts';
import { deleteOld } from '../store/deliveries.ts';
import { findDueHook, listDueShares, requeueHook } from '../store/turns.ts';
import { HookTurn, isOwnFailure, type TurnDependencies } from './hook-turn.ts';

const DELIVER = defineJob<{ readonly shareId: number }>('webhooks.deliver');

interface Dependencies extends TurnDependencies {
  readonly jobs: Jobs;
}

/**
 * Gives webhooks their turns. All webhooks of one owner are one job, so they share the slots of that owner, and one
 * process delivers for an owner at a time, which keeps the order of each webhook.
 */
export class ShareTurns {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { jobs, database } = dependencies;
    jobs.register(DELIVER, ({ shareId }, run) => this.#run(shareId, run), {
      atOnceMax: WEBHOOK_LIMITS.deliveringOwnersAtOnceMax,
      hasOwnSlots: true,
      patienceMs: WEBHOOK_LIMITS.ownerPatienceMs,
    });
    jobs.schedule('webhooks.due', WEBHOOK_LIMITS.dueLookedForEveryMs, async () => {
      const shares = await listDueShares(database.reader, currentTimeMs(), WEBHOOK_LIMITS.dueOwnersAtOnceMax);
      if (shares.length > 0) await database.transaction((tx) => this.enqueue(tx, shares));
    });
    jobs.schedule('webhooks.delete-old', WEBHOOK_LIMITS.oldDeliveriesLookedForEveryMs, (_, { signal }) =>
      this.#deleteOld(signal),
    );
  }

  /** Requests the deliveries of the webhooks that are due in these shares. */
  enqueue(tx: Tx, shareIds: readonly number[]): Promise<void> {
    const jobs = shareIds.map((shareId) => ({ key: `${shareId}`, payload: { shareId } }));
    return this.#use.jobs.enqueueAll(tx, DELIVER, jobs);
  }

  /**
   * Gives the webhooks of a share their turns, several at once, until none is due or it is the turn of other shares.
   *
   * @throws the reason of the signal
   */
  async #run(shareId: number, run: JobRun): Promise<void> {
    const busy = new Set<number>();
    const picking = new KeyedLock();
    const pick = () =>
      picking.run('', async () => {
        const due = { now: currentTimeMs(), without: [...busy] };
        const hook = await findDueHook(this.#use.database.reader, shareId, due);
        if (hook !== undefined) busy.add(hook.id);
        return hook;
      });
    const work = async () => {
      while (!run.signal.aborted && !run.giveWay.aborted) {
        const hook = await pick();
        if (hook === undefined) return;
        await this.#turn(hook, run).finally(() => busy.delete(hook.id));
      }
    };
    await Promise.all(Array.from({ length: WEBHOOK_LIMITS.deliveriesPerOwnerAtOnceMax }, work));
    run.signal.throwIfAborted();
    if (run.giveWay.aborted) await this.#use.database.transaction((tx) => this.enqueue(tx, [shareId]));
  }

  /** Gives a webhook its turn. After a failure of this server, it has the next one a little later. */
  async #turn(hook: DeliveringHook, { signal, log }: JobRun): Promise<void> {
    try {
      await runFor(callerOf(hook, signal), () => new HookTurn(this.#use, hook, signal).run());
    } catch (error) {
      if (signal.aborted) return;
      if (!isOwnFailure(error)) log.warn({ err: error, webhook: hook.id }, 'a webhook could not deliver');
      await this.#use.database.transaction((tx) =>
        requeueHook(tx, hook.id, currentTimeMs() + WEBHOOK_LIMITS.retryMsMin),
      );
    }
  }

  async #deleteOld(signal: AbortSignal): Promise<void> {
    const before = currentTimeMs() - WEBHOOK_LIMITS.deliveriesKeptMs;
    const limit = WEBHOOK_LIMITS.deliveriesDeletedAtOnceMax;
    let count: number = limit;
    while (count === limit) {
      signal.throwIfAborted();
      count = await this.#use.database.transaction((tx) => deleteOld(tx, before, limit));
    }
  }
}

/** Deliveries take turns with requests like one more group of callers, however many owners have webhooks. */
function callerOf({ shareId }: DeliveringHook, left: AbortSignal): Caller {
  return { share: `webhooks ${shareId}`, lane: 'webhooks', isAnonymous: false, isServer: false, left };
}
