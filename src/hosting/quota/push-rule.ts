import type { ForgeError } from '../../base/core/failure.ts';
import { isFailure } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import type { ExaminedPush, PushRule } from '../repositories/refs/push-rules.ts';
import type { Quota } from './service.ts';
import { type ByteKind, kindOfRepository } from './subjects.ts';

/**
 * Rejects updates with new objects for which the owner of the repository has no room. Deletions need none.
 *
 * @param kindOf what the objects count as
 */
export function quotaRule(
  quota: Quota,
  kindOf: (repository: ExaminedPush['repository']) => ByteKind = kindOfRepository,
): PushRule {
  return {
    name: 'quota',
    scope: 'examination',
    // Pushes at the same time may exceed the limit together, by what they bring. The next push is rejected.
    isRechecked: false,
    async examine(push) {
      const denial = await denialOf(quota, push, kindOf(push.repository));
      const refs = push.updates.filter((update) => update.new !== null).map(({ ref }) => ref);
      return {
        denials: denial === undefined ? new Map() : new Map(refs.map((ref) => [ref, denial])),
        stillHolds: async () => true,
      };
    },
  };
}

async function denialOf(
  quota: Quota,
  { repository, session }: ExaminedPush,
  kind: ByteKind,
): Promise<ForgeError | undefined> {
  try {
    const more = { kind, sizeBytes: session.newBytes };
    await quota.requireRoom(repository.owner.id, more);
    return undefined;
  } catch (error) {
    if (isFailure(error, 'too_large')) return error;
    throw error;
  }
}

/** Requires that a new fork is within the quota of its owner, in the transaction that creates it. */
export async function requireRoomForFork(
  tx: Tx,
  quota: Quota,
  created: {
    readonly owner: { readonly id: number };
    readonly parentId: number | null;
    readonly isPrivate: boolean;
  },
): Promise<void> {
  if (created.parentId !== null) await quota.requireWithin(tx, created.owner.id, kindOfRepository(created));
}

/**
 * Requires that repositories that become public are within the quota of their owner for public ones, in the transaction of
 * the change. A repository can become private at any time, because what must be hidden must not wait for room.
 *
 * @throws ForgeError `too_large`
 */
export async function requireRoomToPublish(
  tx: Tx,
  quota: Quota,
  { repositoryIds, isPrivate }: { readonly repositoryIds: readonly number[]; readonly isPrivate: boolean },
): Promise<void> {
  if (isPrivate) return;
  const move = { from: 'size:repos:private', to: 'size:repos:public' } as const;
  for (const ownerId of await quota.ownersOf(tx, repositoryIds))
    await quota.requireWithinAfterMove(tx, ownerId, move);
}
