import { counted } from '../admin/counted.ts';
import { moveObjects } from '../admin/move-objects.ts';
import { armFault } from '../base/core/faults.ts';
import { addressesOf } from '../http/app.ts';
import { SignedAddresses } from '../storage/signed-addresses.ts';
import { type Config, ConfigError } from './config.ts';
import { openDataFolder, readSecret, tryLockDataFolder } from './data-folder.ts';
import { openObjectStore, requireUsable, whereIs } from './object-store.ts';
import type { Print } from './print.ts';
import { objectsSettingOf } from './setting-values/objects.ts';

export interface MoveFlags {
  readonly from: string;
  readonly to: string;
  readonly verifyAll?: boolean;
  readonly deleteExtra?: boolean;
}

/**
 * Copies all objects from one store to another. Holds the lock of the data folder, so no server starts meanwhile. If one
 * runs already, this run is only a preparation.
 */
export async function runMove(config: Config, flags: MoveFlags, print: Print): Promise<void> {
  if (config.fault !== null) armFault(config.fault.point, config.fault.pass);
  const [source, target] = [flags.from, flags.to].map((text) =>
    objectsSettingOf(text, config.objectsCredentials),
  );
  if (source === undefined || target === undefined || whereIs(source) === whereIs(target))
    throw new ConfigError('--from and --to are the same object store');
  const folder = openDataFolder(config.dataFolder);
  const unlock = tryLockDataFolder(config.dataFolder);
  if (unlock === undefined && flags.deleteExtra === true)
    throw new ConfigError('a server is running on the data folder: stop it before you use --delete-extra');
  const secret = readSecret(folder.secret, { ownsFolder: false });
  const place = { folder, addresses: new SignedAddresses(secret, addressesOf('')) };
  const [from, to] = await Promise.all([openObjectStore(source, place), openObjectStore(target, place)]);
  try {
    await requireUsable(from, source);
    await requireUsable(to, target);
    const { verifyAll: verifiesAll = false, deleteExtra: deletesExtra = false } = flags;
    const { objects } = await moveObjects({ from, to, print, verifiesAll, deletesExtra });
    print(`${whereIs(target)} now has all of them: ${counted(objects, 'object')}`);
    print(
      unlock === undefined
        ? 'a server is running: stop it and run this again, which takes less time, before you change --objects'
        : 'now start the server with the new --objects',
    );
  } finally {
    await Promise.all([from.close(), to.close()]);
    unlock?.();
  }
}
