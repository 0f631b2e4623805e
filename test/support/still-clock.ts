import type { AttemptClock } from '../../src/people/authentication/attempts.ts';

/** A clock that stands still and records how long its callers waited. With `holds`, they wait until `goOn`. */
export class StillClock implements AttemptClock {
  time = 1_000_000;
  readonly waited: number[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #holds: boolean;

  constructor(options: { holds: boolean } = { holds: false }) {
    this.#holds = options.holds;
  }

  readonly now = () => this.time;
  readonly wait = (ms: number): Promise<void> => {
    this.waited.push(ms);
    return this.#holds ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  };

  /** callers that wait until `goOn` */
  get waiting(): number {
    return this.#waiting.length;
  }

  goOn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
