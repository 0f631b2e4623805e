import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Followers } from '../../base/events/followers.ts';
import type { Addresses, App } from '../../http/app.ts';
import { createForge, type Engines, openEngines } from '../compose.ts';
import type { Config } from '../config.ts';
import { openDataFolder } from '../data-folder.ts';
import type { Services } from '../features.ts';
import { followersOf } from '../subscriptions.ts';
import { THROWAWAY_LIMITS } from './limits.ts';

/**
 * The server of one world: all that `quire serve` has, except a port. Nothing in memory is older than the world, so a reset
 * needs to undo nothing.
 */
export class Instance {
  readonly engines: Engines;
  readonly services: Services;
  readonly followers: Followers;
  readonly #app: App;
  readonly #running = new Set<ServerResponse>();
  #quiet: (() => void) | undefined;

  private constructor(parts: { engines: Engines; services: Services; app: App }) {
    this.engines = parts.engines;
    this.services = parts.services;
    this.followers = followersOf(parts.services);
    this.#app = parts.app;
  }

  /** @param config with the data folder of the world */
  static async open(config: Config, addresses: Addresses): Promise<Instance> {
    openDataFolder(config.dataFolder);
    const engines = await openEngines(config, { ownsFolder: true, addresses });
    try {
      const { app, services } = await createForge(config, engines, addresses);
      await app.ready();
      return new Instance({ engines, services, app });
    } catch (error) {
      await engines.close();
      throw error;
    }
  }

  /** Starts the work that requests do not wait for. */
  async start(): Promise<void> {
    await this.followers.register();
    this.services.jobs.start({ log: this.#app.log });
    this.followers.start({ log: this.#app.log });
  }

  /** Starts this work with the waiting jobs of a world in which it was `madeAtMs`. */
  async startFrom(madeAtMs: number): Promise<void> {
    await this.services.jobs.postpone(currentTimeMs() - madeAtMs);
    await this.start();
  }

  get isQuiet(): boolean {
    return this.#running.size === 0;
  }

  handle(event: 'request' | 'checkContinue', request: IncomingMessage, response: ServerResponse): void {
    this.#running.add(response);
    response.once('close', () => {
      this.#running.delete(response);
      if (this.isQuiet) this.#quiet?.();
    });
    this.#app.server.emit(event, request, response);
  }

  refuse(error: Error, socket: unknown): void {
    this.#app.server.emit('clientError', error, socket);
  }

  /** Stops the work that requests do not wait for. What it has begun ends, or is given up. */
  async pause(): Promise<void> {
    await Promise.all([this.services.jobs.stop(), this.followers.stop()]);
  }

  /** Waits for running requests, a bounded time, and closes everything. */
  async close(
    options: { patienceMs: number } = { patienceMs: THROWAWAY_LIMITS.oldRequestsMs },
  ): Promise<void> {
    // Ends the requests that wait for an event.
    await this.#app.close();
    await this.#requestsEnded(options.patienceMs);
    await this.services.archives.idle();
    await this.engines.close();
  }

  async #requestsEnded(patienceMs: number): Promise<void> {
    if (this.isQuiet) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#quiet = resolve;
    const destroy = () => {
      for (const response of this.#running) response.destroy();
    };
    const timer = setTimeout(destroy, patienceMs);
    await promise;
    clearTimeout(timer);
  }
}
