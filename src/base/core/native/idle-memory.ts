import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CORE_LIMITS } from '../limits.ts';

interface DebugLog {
  debug(details: object, message: string): void;
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * Collects the garbage of this process while it is idle. V8 collects garbage only when it needs room, so an idle server
 * would retain the garbage of its busiest hour. A request that arrives during a collection waits for 0.1 to 0.2 s.
 */
export class IdleMemory {
  readonly #log: DebugLog;
  #timer: NodeJS.Timeout | undefined;
  #seen: EventLoopUtilization = performance.eventLoopUtilization();
  /** consecutive checks that found no work */
  #idleChecks = 0;
  /** resident memory after the last collection */
  #afterBytes = 0;

  constructor(log: DebugLog) {
    this.#log = log;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#check(), CORE_LIMITS.idleCheckMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#seen);
    this.#seen = now;
    this.#idleChecks = utilization > CORE_LIMITS.idleBusyShareMax ? 0 : this.#idleChecks + 1;
    if (this.#idleChecks < CORE_LIMITS.idleChecksMin) return;
    const beforeBytes = process.memoryUsage.rss();
    if (beforeBytes - this.#afterBytes < CORE_LIMITS.idleGrowthBytesMin) return;
    collectGarbage();
    this.#afterBytes = process.memoryUsage.rss();
    this.#idleChecks = 0;
    this.#log.debug({ beforeBytes, afterBytes: this.#afterBytes }, 'collected the garbage of an idle server');
  }
}

/** Collects all garbage at once. Unlike other collections, this one retains no pages for new objects. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
