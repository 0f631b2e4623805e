import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { transfersOf } from './transfers.ts';

/** Lists the folders that hold the objects of running pushes, for all repositories of a data folder. */
async function quarantinesIn(dataFolder: string): Promise<string[]> {
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

/** Waits until a push is in progress. Only for pushes that cannot end meanwhile. */
export async function untilPushing(forge: TestForge): Promise<void> {
  await until(() => isPushing(forge));
}

/** Waits until no push is in progress. */
export async function untilNothingIsLeft(forge: TestForge): Promise<void> {
  await until(async () => !(await isPushing(forge)));
}

/** Whether a push arrives, or has a quarantine. A small one has none, so it is seen only while it arrives. */
export async function isPushing(forge: TestForge): Promise<boolean> {
  return transfersOf(forge).uploads.running > 0 || (await quarantinesOf(forge)).length > 0;
}
