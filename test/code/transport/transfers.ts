import type { TransferResources } from '../../../src/git/processes/transfer-resources.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { resourcesOf } from '../../support/git-folder.ts';
import { until } from '../../support/until.ts';

export function transfersOf(forge: TestForge): TransferResources {
  return resourcesOf(forge.forge.running.engines.git);
}

/** Takes all disk space of spools, so that git waits for its readers. */
export async function fillSpools(forge: TestForge): Promise<void> {
  const { room } = transfersOf(forge).spools;
  for (;;) {
    try {
      await room.enter();
    } catch {
      return;
    }
  }
}

/** Waits until no fetch and no push holds anything. */
export async function untilNothingIsHeld(forge: TestForge): Promise<void> {
  const { fetch, index, requests, responses, uploads, spools, packs } = transfersOf(forge);
  const all = [fetch, index, requests, responses, uploads, spools.room, packs.room];
  await until(() => all.every((slots) => slots.running === 0 && slots.waiting === 0));
}
