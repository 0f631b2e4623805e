import { startForge } from './index.ts';
import type { Forge, ForgeClock, ForgeOptions } from './model.ts';

const ONLY_THROWAWAY = 'needs throwaway data: leave out dataFolder and databaseUrl';

/** Starts a forge with data that remains. A reset would lose it. */
export async function startLasting(options: ForgeOptions): Promise<Forge> {
  if (options.seed !== undefined) throw new Error(`a seed ${ONLY_THROWAWAY}`);
  const refuse = async () => {
    throw new Error(`this ${ONLY_THROWAWAY}`);
  };
  const clock: ForgeClock = {
    now: () => new Date(),
    set: refuse,
    advance: refuse,
    freeze: refuse,
    unfreeze: refuse,
  };
  return { ...(await startForge(options)), users: {}, clock, reset: refuse };
}
