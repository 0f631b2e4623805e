import { setTimeout as wait } from 'node:timers/promises';
import type { DeletedObjects } from '../git/interface/upkeep.ts';
import type { Purges } from '../hosting/maintenance/purges.ts';
import type { Repositories } from '../hosting/repositories/service.ts';
import { ADMIN_LIMITS } from './limits.ts';
import { repositoryByPath } from './repository-by-path.ts';

interface Purge {
  readonly purges: Purges;
  readonly repositories: Repositories;
  readonly print: (line: string) => void;
  /** whether this process holds the lock of the data folder; otherwise a server does the work */
  readonly ownsFolder: boolean;
}

/**
 * Deletes all objects of a repository that none of its refs reaches, and names the repositories that may still have them.
 *
 * @throws ForgeError `not_found`, `busy`
 */
export async function purgeRepository({ purges, repositories, print, ownsFolder }: Purge, path: string) {
  const id = await repositoryByPath(repositories, path);
  if (!ownsFolder) print('a server is running: it does the work, even if you end this command');
  const pause = () => wait(ADMIN_LIMITS.purgePollMs);
  const deleted = ownsFolder ? await purges.purge(id) : await purges.request(id, pause);
  print(`${path}: deleted ${described(deleted)}`);
  const family = await repositories.listFamily(id);
  if (family.length > 0) print('These repositories share its history and may still have the objects:');
  for (const { owner, name } of family) print(`  ${owner}/${name}`);
  print('Clones elsewhere keep the objects: replace every secret that has leaked.');
}

function described({ objects, bytes }: DeletedObjects): string {
  if (objects === 0) return 'nothing: its refs reach all of its objects';
  return `${objects} ${objects === 1 ? 'object' : 'objects'} (${bytes} bytes in a pack) that no ref reaches`;
}
