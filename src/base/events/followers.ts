import type { Log } from '../core/log.ts';

/** A feature that reads the event log. */
interface Following {
  /** Makes sure that no event from here on is missed. */
  register(): Promise<void>;
  /** Handles all events so far. */
  catchUp(): Promise<unknown>;
  /** Handles events until the function that it returns is called. */
  start(options: { log: Log }): () => Promise<void>;
}

/** All features that read the event log while a server runs. */
export class Followers {
  readonly #followers: readonly Following[];
  #stops: readonly (() => Promise<void>)[] = [];

  constructor(followers: readonly Following[]) {
    this.#followers = followers;
  }

  /** Makes sure that no event from here on is missed. */
  async register(): Promise<void> {
    for (const follower of this.#followers) await follower.register();
  }

  /** Handles events until `stop`. */
  start(options: { log: Log }): void {
    this.#stops = this.#followers.map((follower) => follower.start(options));
  }

  /** Handles all events so far. */
  async catchUp(): Promise<void> {
    for (const follower of this.#followers) await follower.catchUp();
  }

  /** Ends after what the followers have begun. */
  async stop(): Promise<void> {
    const stops = this.#stops;
    this.#stops = [];
    await Promise.all(stops.map((stop) => stop()));
  }
}
