import { readClockChange } from '../src/app/throwaway/clock-change.ts';
import { checkSeed, readSeedFile } from '../src/app/throwaway/seed/read.ts';
import { Throwaway } from '../src/app/throwaway/throwaway.ts';
import type { Forge, ForgeClock, ForgeOptions } from './model.ts';

/** Starts a throwaway server in this process. */
export async function startThrowaway(options: ForgeOptions): Promise<Forge> {
  const { seed = {}, logLevel = 'silent', baseUrl, trustedProxies, settings = {} } = options;
  const throwaway = await Throwaway.start({
    seed: typeof seed === 'string' ? readSeedFile(seed) : checkSeed(seed),
    onDisk: false,
    logLevel,
    settings: {
      ...settings,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(trustedProxies === undefined ? {} : { trustedProxies: trustedProxies.join(',') }),
    },
  });
  const { url, admin, token, users } = throwaway.access;
  const stop = () => throwaway.stop();
  return {
    url,
    apiRoot: `${url}/api/v1`,
    admin: { ...admin, token },
    users,
    get dataFolder() {
      return throwaway.dataFolder;
    },
    clock: clockOf(throwaway),
    reset: () => throwaway.reset(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function clockOf(throwaway: Throwaway): ForgeClock {
  const change = async (wanted: object): Promise<void> => {
    const read = readClockChange(wanted);
    if ('problem' in read) throw new Error(read.problem);
    await throwaway.changeClock(read);
  };
  return {
    now: () => new Date(throwaway.clockState().now),
    set: (time) => change({ set: typeof time === 'string' ? time : time.toISOString() }),
    advance: (duration) => change({ advance: duration }),
    freeze: () => change({ freeze: true }),
    unfreeze: () => change({ freeze: false }),
  };
}
