import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestForge } from '../support/forge.ts';
import { until } from '../support/until.ts';

/** Lists the folders that hold the objects of running pushes, for all repositories of a data folder. */
export async function quarantinesIn(dataFolder: string): Promise<string[]> {
  const repositories: string[] = [];
  const shards = join(dataFolder, 'git');
  for (const shard of await namesIn(shards)) {
    for (const name of await namesIn(join(shards, shard))) repositories.push(join(shards, shard, name));
  }
  const found = repositories.map(async (path) => {
    const quarantines = join(path, 'quarantine');
    return (await namesIn(quarantines)).map((name) => join(quarantines, name));
  });
  return (await Promise.all(found)).flat();
}

/** Names in a folder; none if the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

export function quarantinesOf(forge: TestForge): Promise<string[]> {
  return quarantinesIn(forge.forge.dataFolder);
}

/** Waits until the quarantine of a push exists, which means that the push is in progress. */
export async function untilPushing(forge: TestForge): Promise<void> {
  await until(async () => (await quarantinesOf(forge)).length > 0);
}

/** Waits until no quarantine is left, which means that no push is in progress. */
export async function untilNothingIsLeft(forge: TestForge): Promise<void> {
  await until(async () => (await quarantinesOf(forge)).length === 0);
}
