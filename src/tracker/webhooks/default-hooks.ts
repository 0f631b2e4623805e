import { SealError } from '../../base/core/sealing.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import { findNewestPosition } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { DeliveringHook } from './model.ts';
import { newHookRow } from './new-hook.ts';
import type { HookSealer, HookSecrets } from './secrets.ts';
import { insertHooks, listDefaultHooks } from './store/hooks.ts';

interface Dependencies {
  readonly hookSealer: HookSealer;
}

/** Webhooks of the site that each new repository gets a copy of. Later changes of one do not affect the other. */
export class DefaultHooks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** In the transaction that creates a repository. The copies render payloads for its owner, or for who created it. */
  async copy(
    tx: Tx,
    {
      repositoryId,
      makerId,
      owner,
    }: { repositoryId: RepositoryId; makerId: number | null; owner: { readonly id: number } },
  ): Promise<void> {
    const hooks = await listDefaultHooks(tx);
    if (hooks.length === 0) return;
    const { hookSealer } = this.#use;
    const position = await findNewestPosition(tx);
    const now = currentTimeMs();
    const place = { of: 'repository', repositoryId, ownerId: owner.id } as const;
    const copies = hooks.map((hook) => {
      const { error, ...secrets } = this.#open(hook);
      const copy = { ...hook, ...secrets, isActive: hook.isActive && error === '', isSystem: false };
      return {
        ...newHookRow(copy, { hookSealer, place, readerId: makerId, position, now }),
        last_error: error,
      };
    });
    await insertHooks(tx, copies);
  }

  /** A repository is created also if the key for the secrets is missing. Its webhook is inactive then. */
  #open(hook: DeliveringHook): HookSecrets & { readonly error: string } {
    try {
      return { ...this.#use.hookSealer.open(hook), error: '' };
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return { secret: '', authorization: '', error: error.message };
    }
  }
}
