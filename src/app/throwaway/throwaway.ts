import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Addresses } from '../../http/app.ts';
import { createAdministrator } from '../administrator.ts';
import type { Config } from '../config.ts';
import { type ClockChange, type ClockState, MovableClock } from './clock.ts';
import { readClockChange, readTime } from './clock-change.ts';
import { ADMIN_NAME, type ThrowawaySettings, throwawayConfig } from './config.ts';
import { control } from './control.ts';
import { makeThrowawayFolder, type ThrowawayFolder } from './folder.ts';
import { copyOf, Front } from './front.ts';
import { Instance } from './instance.ts';
import { THROWAWAY_LIMITS } from './limits.ts';
import { SeedApi } from './seed/api.ts';
import { makeWorld } from './seed/make.ts';
import type { Seed } from './seed/model.ts';
import { passwordOf } from './seed/people.ts';
import { SeedError } from './seed/read.ts';
import { copySnapshot, takeSnapshot } from './snapshot.ts';

/** The time at which worlds are made, so that the same seed always has the same commits. */
const MADE_AT = '2026-01-01T00:00:00Z';
const STEP_MS = 1_000;
/** More than any delay with which the server waits for further changes before it works on one. */
const DELAYED_WORK_MS = 60_000;

interface Options extends ThrowawaySettings {
  /** that `checkSeed` accepts */
  readonly seed: Seed;
  readonly onDisk: boolean;
}

/** What a test needs to use a throwaway server. */
export interface Access {
  readonly url: string;
  readonly admin: { readonly name: string; readonly password: string };
  /** of the administrator, for all scopes */
  readonly token: string;
  /** the users of the seed, by name, with their tokens by name */
  readonly users: Readonly<
    Record<string, { readonly password: string; readonly tokens: Readonly<Record<string, string>> }>
  >;
}

/** A world that an instance of the server can start from. */
interface Snapshot {
  readonly folder: string;
  readonly madeAtMs: number;
}

/** All throwaway servers of a process have one time, because a process has one present. */
const CLOCK = new MovableClock();
let serversRunning = 0;

/**
 * A server for tests. A reset replaces the whole server behind its port with a new one, on a copy of the files of the seeded
 * world. So no cache, counter or job of the old one can be left. Requests that are running end in the old one.
 */
export class Throwaway {
  readonly access: Access;
  readonly #parts: Parts;
  #instance: Instance;
  #snapshot: Snapshot;
  /** the next instance, if it is prepared or about to be */
  #next: Promise<Instance> | undefined;
  #preparing: NodeJS.Timeout | undefined;
  /** Resets and moves of the clock, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #closing = new Set<Promise<void>>();
  #isStopped = false;

  private constructor(parts: Parts, world: { access: Access; instance: Instance; snapshot: Snapshot }) {
    this.#parts = parts;
    this.access = world.access;
    this.#instance = world.instance;
    this.#snapshot = world.snapshot;
  }

  /** @throws SeedError, ConfigError */
  static async start(options: Options): Promise<Throwaway> {
    const folder = makeThrowawayFolder(options);
    let self: Throwaway | undefined;
    const front: Front = new Front({
      control: (request, response) => self !== undefined && control(self.#controls, request, response),
    });
    serversRunning += 1;
    CLOCK.install();
    try {
      const parts = await Parts.make(front, folder, options);
      self = new Throwaway(parts, await parts.makeWorld());
      return self;
    } catch (error) {
      await front.close().catch(() => {});
      folder.remove();
      leaveClock();
      throw error;
    }
  }

  get #controls() {
    return {
      reset: () => this.reset(),
      changeClock: (change: ClockChange) => this.changeClock(change),
      clockState: () => this.clockState(),
      serves: this.#parts.front.serves.bind(this.#parts.front),
    };
  }

  /** Brings back the world right after the seed, with its clock. */
  reset(): Promise<void> {
    return this.#inTurn(async () => {
      const prepared = await this.#takeNext();
      CLOCK.restart(this.#parts.clockOfWorld);
      const old = this.#instance;
      try {
        await prepared.startFrom(this.#snapshot.madeAtMs);
      } catch (error) {
        this.#closeLater(prepared);
        throw error;
      }
      this.#instance = prepared;
      this.#parts.front.lead(prepared);
      await old.pause();
      this.#closeLater(old);
      this.#prepareWhenQuiet();
    });
  }

  clockState(): ClockState {
    return CLOCK.state;
  }

  /**
   * Moves the time, and runs the jobs that are due then.
   *
   * @throws ClockRangeError
   */
  changeClock(change: ClockChange): Promise<ClockState> {
    return this.#inTurn(async () => {
      const { jobs } = this.#instance.services;
      // A job that runs while the time moves would seem to have lost its lease.
      await atMost(THROWAWAY_LIMITS.dueJobsMs, jobs.runDue());
      CLOCK.change(change);
      await atMost(THROWAWAY_LIMITS.dueJobsMs, jobs.runDue());
      return CLOCK.state;
    });
  }

  /** Ends all connections at once, and removes all data. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#preparing);
    await this.#parts.front.close();
    await this.#turn;
    await this.#instance.pause();
    const prepared = await this.#next?.catch(() => undefined);
    await Promise.all([
      ...this.#closing,
      this.#instance.close({ patienceMs: 0 }),
      prepared?.close({ patienceMs: 0 }),
    ]);
    this.#parts.folder.remove();
    leaveClock();
  }

  /** of the current instance */
  get dataFolder(): string {
    return this.#parts.folderOf(this.#instance);
  }

  /** Removes all data, in a process that ends without a stop. */
  removeFolder(): void {
    this.#parts.folder.remove();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #takeNext(): Promise<Instance> {
    clearTimeout(this.#preparing);
    const prepared = this.#next ?? this.#parts.openCopy(this.#snapshot);
    this.#next = undefined;
    return prepared;
  }

  /** The work would delay requests, so it waits until there are none. */
  #prepareWhenQuiet(): void {
    const { restBeforePreparingMs: restMs } = THROWAWAY_LIMITS;
    this.#preparing = setTimeout(() => {
      if (this.#isStopped) return;
      if (this.#instance.isQuiet && this.#parts.front.restMs >= restMs) {
        this.#next = this.#parts.openCopy(this.#snapshot);
        // The reset that needs it reports the failure.
        this.#next.catch(() => {});
      } else this.#prepareWhenQuiet();
    }, restMs);
    this.#preparing.unref();
  }

  #closeLater(old: Instance): void {
    const closing = old
      .close()
      .then(() => this.#parts.removeFolderOf(old))
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** What all instances share. */
class Parts {
  readonly front: Front;
  readonly folder: ThrowawayFolder;
  readonly clockOfWorld: ClockChange;
  readonly #options: Options;
  readonly #url: string;
  readonly #password = randomBytes(12).toString('hex');
  readonly #folders = new WeakMap<Instance, string>();
  #opened = 0;

  private constructor(front: Front, folder: ThrowawayFolder, options: Options, url: string) {
    this.front = front;
    this.folder = folder;
    this.#options = options;
    this.#url = url;
    const change = options.seed.clock === undefined ? {} : readClockChange(options.seed.clock);
    if ('problem' in change) throw new SeedError('clock', change.problem);
    this.clockOfWorld = change;
  }

  static async make(front: Front, folder: ThrowawayFolder, options: Options): Promise<Parts> {
    // Bad settings are found before the port opens.
    const { baseUrl } = throwawayConfig(options, { dataFolder: folder.path, password: 'checks only' });
    return new Parts(front, folder, options, await front.listen(baseUrl));
  }

  async makeWorld(): Promise<{ access: Access; instance: Instance; snapshot: Snapshot }> {
    const { seed } = this.#options;
    CLOCK.restart({ setMs: readTime(seed.made_at ?? MADE_AT) ?? 0, freeze: true });
    const { instance, config } = await this.#open();
    try {
      this.front.lead(instance);
      const access = await this.#fill(instance, config);
      const snapshot = { folder: join(this.folder.path, 'world'), madeAtMs: currentTimeMs() };
      await takeSnapshot(config.dataFolder, snapshot.folder);
      CLOCK.restart(this.clockOfWorld);
      await instance.startFrom(snapshot.madeAtMs);
      return { access, instance, snapshot };
    } catch (error) {
      await instance.close({ patienceMs: 0 });
      throw error;
    }
  }

  /** Opens an instance on a copy of a world. */
  async openCopy({ folder }: Snapshot): Promise<Instance> {
    const { instance } = await this.#open(folder);
    return instance;
  }

  async removeFolderOf(instance: Instance): Promise<void> {
    await rm(this.folderOf(instance), { recursive: true, force: true });
  }

  folderOf(instance: Instance): string {
    const folder = this.#folders.get(instance);
    if (folder === undefined) throw new Error('the instance has no folder');
    return folder;
  }

  async #open(from?: string): Promise<{ instance: Instance; config: Config }> {
    this.#opened += 1;
    const dataFolder = join(this.folder.path, `${this.#opened}`);
    if (from !== undefined) copySnapshot(from, dataFolder);
    const config = throwawayConfig(this.#options, { dataFolder, password: this.#password });
    const addresses: Addresses = copyOf(this.front.addresses);
    const instance = await Instance.open(config, addresses);
    this.#folders.set(instance, dataFolder);
    return { instance, config };
  }

  /** Makes the world that the seed describes, step by step: each step ends with all of its effects. */
  async #fill({ services, followers, engines }: Instance, config: Config): Promise<Access> {
    const { accounts, tokens, jobs, authentication, archives } = services;
    const { seed } = this.#options;
    const settle = async () => {
      await followers.catchUp();
      await jobs.runDue();
    };
    await followers.register();
    await createAdministrator(accounts, config);
    const makeToken = async (
      owner: string,
      place: string,
      wanted: { name: string; scopes: readonly string[] },
    ) => {
      const account = await accounts.findByName(owner);
      if (account === undefined) throw new SeedError(place, `the seed has no user ${owner}`);
      const { token } = await tokens.createFor(account, wanted).catch((error: Error) => {
        throw new SeedError(place, error.message);
      });
      return token;
    };
    const token = await makeToken(ADMIN_NAME, '', { name: 'quire forge', scopes: ['all'] });
    using api = new SeedApi({
      url: this.#url,
      token,
      before: () => CLOCK.change({ advanceMs: STEP_MS }),
      after: settle,
    });
    await makeWorld(api, seed, ADMIN_NAME);
    const users: Record<string, Access['users'][string]> = {};
    for (const [at, user] of (seed.users ?? []).entries()) {
      const own: Record<string, string> = {};
      for (const [index, { name, scopes = ['all'] }] of (user.tokens ?? []).entries())
        own[name] = await makeToken(user.name, `users[${at}].tokens[${index}]`, { name, scopes });
      users[user.name] = { password: passwordOf(user), tokens: own };
    }
    CLOCK.change({ advanceMs: DELAYED_WORK_MS });
    await settle();
    await authentication.waitForWrites();
    await archives.idle();
    await engines.git.upkeep.moveFreshToFiles();
    return { url: this.#url, admin: { name: ADMIN_NAME, password: this.#password }, token, users };
  }
}

/** The last server of a process gives it the real time back. */
function leaveClock(): void {
  serversRunning -= 1;
  if (serversRunning > 0) return;
  CLOCK.restart({});
  CLOCK.uninstall();
}

/** Waits for work, but not longer than `ms`; the work goes on. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
