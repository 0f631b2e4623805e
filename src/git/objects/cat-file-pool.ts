import { ForgeError } from '../../base/core/failure.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import type { Oid } from '../format/model.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type Answer, CatFile, type ObjectsLocation, ReadingChildGone } from './cat-file.ts';

/** Includes one retry of a request whose child died, because something else may have killed the child. */
const ATTEMPTS_MAX = 2;

/** The reading children of this process: one for each location that is being read, bounded in total. */
export class CatFilePool {
  /** in the order of their last use */
  readonly #children = new Map<string, CatFile>();
  readonly #starting = new Map<string, Promise<CatFile>>();
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;

  /** @throws ForgeError `busy` when all children are busy for too long */
  async ask(key: string, location: ObjectsLocation, oid: Oid, withContent: boolean): Promise<Answer> {
    for (let attempt = 1; ; ) {
      const child = await this.#childFor(key, location);
      try {
        return await child.ask(oid, withContent);
      } catch (error) {
        if (!(error instanceof ReadingChildGone) || this.#isClosed) throw error;
        if (error.wasAtWork) attempt += 1;
        if (attempt > ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Ends the child of a location. A new one answers its pending requests. */
  end(key: string): void {
    const child = this.#children.get(key);
    this.#children.delete(key);
    child?.end();
  }

  close(): void {
    this.#isClosed = true;
    for (const key of [...this.#children.keys()]) this.end(key);
  }

  async #childFor(key: string, location: ObjectsLocation): Promise<CatFile> {
    const giveUpAt = performance.now() + CORE_LIMITS.gitQueueWaitMs;
    for (;;) {
      if (this.#isClosed) throw new Error('the git storage is closed');
      const running = this.#children.get(key);
      if (running !== undefined && !running.isGone) {
        this.#children.delete(key);
        this.#children.set(key, running);
        return running;
      }
      const starting = this.#starting.get(key);
      if (starting !== undefined) return starting;
      if (this.#hasRoom()) return this.#start(key, location);
      await this.#roomComes(giveUpAt);
    }
  }

  #hasRoom(): boolean {
    for (const [key, child] of this.#children) {
      if (child.isGone) this.#children.delete(key);
    }
    if (this.#children.size + this.#starting.size < GIT_LIMITS.catFileProcessesMax) return true;
    const idle = [...this.#children].find(([, child]) => !child.isBusy);
    if (idle === undefined) return false;
    this.end(idle[0]);
    return true;
  }

  async #start(key: string, location: ObjectsLocation): Promise<CatFile> {
    const starting = CatFile.start(location, () => this.#waiting.shift()?.());
    this.#starting.set(key, starting);
    try {
      const child = await starting;
      this.#children.set(key, child);
      return child;
    } finally {
      this.#starting.delete(key);
    }
  }

  async #roomComes(giveUpAt: number): Promise<void> {
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0 || this.#waiting.length >= CORE_LIMITS.gitQueueMax) {
      throw new ForgeError({
        kind: 'busy',
        what: 'too many repositories are being read at once',
        retryAfterSeconds: 5,
      });
    }
    await new Promise<void>((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        // Otherwise it would be called instead of a waiter that has not given up.
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        resolve();
      }, leftMs);
      this.#waiting.push(enter);
    });
  }
}
