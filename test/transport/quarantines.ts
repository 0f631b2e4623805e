import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestForge } from '../support/forge.ts';
import { until } from '../support/until.ts';

/** The folders in which pushes of this forge keep their objects until they are accepted. */
export async function quarantinesOf(forge: TestForge): Promise<string[]> {
  const paths = await readdir(join(forge.forge.dataFolder, 'git'), { recursive: true });
  return paths.filter((path) => /\.git\/quarantine\/[^/]+$/.test(path));
}

/** Waits until a push is under way: its quarantine is there. */
export async function untilPushing(forge: TestForge): Promise<void> {
  await until(async () => (await quarantinesOf(forge)).length > 0);
}

/** Waits until no push is under way and nothing is left of any. */
export async function untilNothingIsLeft(forge: TestForge): Promise<void> {
  await until(async () => (await quarantinesOf(forge)).length === 0);
}
