import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CORE_LIMITS } from '../limits.ts';
import { returnFreedMemory } from './malloc.ts';

interface DebugLog {
  debug(details: object, message: string): void;
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * Collects the garbage of this process while it is idle, and returns the memory to the system. V8 collects garbage only
 * when it needs room, so an idle server would retain the garbage of its busiest hour.
 */
export class IdleMemory {
  readonly #log: DebugLog;
  #timer: NodeJS.Timeout | undefined;
  #seen: EventLoopUtilization = performance.eventLoopUtilization();
  /** consecutive checks that found no work */
  #restful = 0;
  #keptBytes = 0;
  #collectedAt = Number.NEGATIVE_INFINITY;

  constructor(log: DebugLog) {
    this.#log = log;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), CORE_LIMITS.idleCheckMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#seen);
    this.#seen = now;
    this.#restful = utilization > CORE_LIMITS.idleBusyShareMax ? 0 : this.#restful + 1;
    if (this.#restful < CORE_LIMITS.idleChecksMin) return;
    if (performance.now() - this.#collectedAt < CORE_LIMITS.idleCollectionsEveryMs) return;
    const usedBytes = process.memoryUsage.rss();
    if (usedBytes - this.#keptBytes < CORE_LIMITS.idleGrowthBytesMin) return;
    const startedAt = performance.now();
    collectGarbage();
    returnFreedMemory();
    this.#collectedAt = performance.now();
    this.#keptBytes = process.memoryUsage.rss();
    this.#log.debug(
      { usedBytes, keptBytes: this.#keptBytes, ms: Math.round(this.#collectedAt - startedAt) },
      'collected the garbage of an idle server',
    );
  }
}

/** Collects all garbage at once. Unlike other collections, this one retains no pages for new objects. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
