import { whyOf } from '../admin/check-objects.ts';
import { createFolderStorage } from '../storage/folder.ts';
import type { ObjectStorage } from '../storage/model.ts';
import { describeS3 } from '../storage/s3/settings.ts';
import type { SignedAddresses } from '../storage/signed-addresses.ts';
import { ConfigError } from './config.ts';
import type { DataFolder } from './data-folder.ts';
import type { ObjectsSetting } from './setting-values/objects.ts';

/** Opens the object store of a setting. It loads the S3 client only if it needs it. */
export async function openObjectStore(
  setting: ObjectsSetting,
  { folder, addresses }: { folder: DataFolder; addresses: SignedAddresses },
): Promise<ObjectStorage> {
  if (setting.kind === 'folder') return createFolderStorage({ folder: folder.objects, addresses });
  const { S3Storage } = await import('../storage/s3/storage.ts');
  return new S3Storage(setting);
}

/**
 * Checks that the store can be reached and read.
 *
 * @throws ConfigError
 */
export async function requireUsable(objects: ObjectStorage, setting: ObjectsSetting): Promise<void> {
  try {
    await objects.list('')[Symbol.asyncIterator]().next();
  } catch (error) {
    throw new ConfigError(
      `cannot use the object store ${whereIs(setting)}: ${whyOf(error)} (check --objects, QUIRE_OBJECTS_KEY_ID and QUIRE_OBJECTS_SECRET)`,
    );
  }
}

/** Names the place of a store, without anything secret. */
export function whereIs(setting: ObjectsSetting): string {
  return setting.kind === 'folder' ? 'the folder "objects" of the data folder' : describeS3(setting);
}
