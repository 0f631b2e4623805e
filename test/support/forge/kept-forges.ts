import { isDeepStrictEqual } from 'node:util';
import type { Forge, ForgeOptions } from '../../../testing/index.ts';
import { until } from '../until.ts';
import { ForgeFiles } from './forge-files.ts';
import type { Place } from './forge-place.ts';
import type { ForgeRows } from './forge-rows.ts';
import { ForgeTraffic } from './forge-traffic.ts';

/** A forge becomes a little slower with each test, for example because of the room of deleted rows. */
const USES_MAX = 100;
/** Forges that wait for a test. Each takes some MiB. */
const IDLE_MAX = 4;
/** How long the work of a test may go on after it. */
const REST_MS_MAX = 2_000;

/** A running forge in its place. */
export interface Started {
  readonly forge: Forge;
  readonly place: Place;
}

/** A forge for one test. */
export interface TakenForge extends Started {
  /** Stops it after the test, because the test changes the running server in a way that nothing undoes. */
  stopAfterTest(): void;
  /** Ends the use of the test. */
  release(): Promise<void>;
}

interface Kept extends Started {
  readonly settings: ForgeOptions['settings'];
  readonly rows: ForgeRows;
  readonly files: ForgeFiles;
  readonly traffic: ForgeTraffic;
  uses: number;
  /** whether no other test may use it */
  isSpent: boolean;
}

/** Forges that no test uses, the one that has waited longest first. */
const idle: Kept[] = [];

/**
 * Returns a forge that another test has used before, or a new one. After the test, the forge gets the rows and files of
 * its start back for the next one, or it stops if that is not possible.
 */
export async function takeForge(
  settings: ForgeOptions['settings'],
  start: () => Promise<Started>,
): Promise<TakenForge> {
  const kept = takeIdle(settings) ?? (await keep(settings, await start()));
  const { forge, place } = kept;
  forge.running.app.server.ref();
  return {
    forge,
    place,
    stopAfterTest() {
      kept.isSpent = true;
    },
    async release() {
      kept.uses += 1;
      if (kept.uses < USES_MAX && (await isReset(kept))) await wait(kept);
      else await end(kept);
    },
  };
}

function takeIdle(settings: ForgeOptions['settings']): Kept | undefined {
  const at = idle.findLastIndex((kept) => isDeepStrictEqual(kept.settings, settings));
  return at === -1 ? undefined : idle.splice(at, 1)[0];
}

async function keep(settings: ForgeOptions['settings'], { forge, place }: Started): Promise<Kept> {
  // Its recurring jobs are rows of its start.
  await forge.running.services.jobs.runDue();
  await forge.running.services.activityRecorder.catchUp();
  const kept = {
    forge,
    place,
    settings,
    rows: await place.readRows(),
    files: new ForgeFiles(forge.dataFolder),
    traffic: new ForgeTraffic(forge.running.app.server),
    uses: 0,
    isSpent: false,
  };
  recordStop(kept);
  return kept;
}

/** A test may stop the server itself, or only its jobs. */
function recordStop(kept: Kept): void {
  const { jobs } = kept.forge.running.services;
  const stop = jobs.stop.bind(jobs);
  jobs.stop = () => {
    kept.isSpent = true;
    return stop();
  };
}

/** Lets a forge wait for the next test. */
async function wait(kept: Kept): Promise<void> {
  kept.forge.running.app.server.unref();
  kept.forge.running.ssh?.server.unref();
  kept.place.unref();
  idle.push(kept);
  const oldest = idle.length > IDLE_MAX ? idle.shift() : undefined;
  if (oldest !== undefined) await end(oldest);
}

async function end({ forge, place, rows }: Kept): Promise<void> {
  await rows.close();
  await forge.stop();
  await place.remove();
}

/** False for example if a client is still connected, or if the test has changed the schema. */
async function isReset(kept: Kept): Promise<boolean> {
  try {
    return (await isAtRest(kept)) && (await hasFirstRows(kept)) && (await hasFirstFiles(kept));
  } catch {
    return false;
  }
}

/** Waits until the server does nothing for its clients any more. */
async function isAtRest(kept: Kept): Promise<boolean> {
  const { forge, traffic } = kept;
  const { app, services } = forge.running;
  const isUsable = () => !kept.isSpent && !traffic.hasLeftTraces;
  app.server.closeIdleConnections();
  if (!isUsable() || !(await isSoon(() => traffic.isQuiet()))) return false;
  const hasSshClients = async () => (forge.running.ssh?.server.connectionCount ?? 0) > 0;
  if (!(await isSoon(async () => !(await hasSshClients())))) return false;
  await services.authentication.waitForWrites();
  await services.keyOwners.waitForWrites();
  await services.archives.idle();
  await services.activityRecorder.catchUp();
  return isUsable();
}

async function hasFirstRows({ rows }: Kept): Promise<boolean> {
  let restored = await rows.restore();
  await isSoon(async () => {
    if (restored === 'in use') restored = await rows.restore();
    return restored !== 'in use';
  });
  return restored === 'restored';
}

async function hasFirstFiles({ forge, files }: Kept): Promise<boolean> {
  const { git } = forge.running.engines;
  await git.upkeep.moveFreshToFiles();
  const isRestored = files.restore();
  // Forgets the repositories that are gone, and ends the processes that read them.
  await git.upkeep.sweep(0);
  return isRestored;
}

/** Whether something holds within a short time. */
async function isSoon(holds: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + REST_MS_MAX;
  let isHeld = false;
  await until(async () => {
    isHeld = await holds();
    return isHeld || performance.now() > giveUpAt;
  });
  return isHeld;
}
