import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockInOrder, lockUser, requireNotBlocked } from '../accounts/locks.ts';
import type { ShownAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { addToFollowCounts } from '../accounts/writes.ts';
import { ACCOUNT_FOLLOWED, ACCOUNT_UNFOLLOWED } from './events.ts';
import { FOLLOW_LIMITS } from './limits.ts';
import type { Follow } from './model.ts';
import { deleteFollow, hasFollow, insertFollow, listFollows } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
}

/** Users follow users and organizations. */
export class Follows {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists the visible followers of an account. @throws ForgeError as `Accounts.getByName` */
  async listFollowers(viewer: Viewer, name: string, paging: Paging): Promise<Page<ShownAccount>> {
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    return listFollows(this.#use.database.reader, viewer, { side: 'followers', accountId }, paging);
  }

  /** Lists the visible accounts that an account follows. @throws ForgeError as `Accounts.getByName` */
  async listFollowing(viewer: Viewer, name: string, paging: Paging): Promise<Page<ShownAccount>> {
    const { id: accountId } = await this.#use.accounts.getByName(viewer, name);
    return listFollows(this.#use.database.reader, viewer, { side: 'following', accountId }, paging);
  }

  listOwn(viewer: SignedIn, side: 'followers' | 'following', paging: Paging): Promise<Page<ShownAccount>> {
    return listFollows(this.#use.database.reader, viewer, { side, accountId: viewer.accountId }, paging);
  }

  /** @throws ForgeError `not_found` unless both accounts are visible and the first follows the second */
  async require(viewer: Viewer, name: string, followedName: string): Promise<void> {
    const follower = await this.#use.accounts.getByName(viewer, name);
    const followed = await this.#use.accounts.getByName(viewer, followedName);
    await this.#require({ followerId: follower.id, followedId: followed.id });
  }

  /** @throws ForgeError `not_found` unless the viewer follows the account */
  async requireOwn(viewer: SignedIn, followedName: string): Promise<void> {
    const followed = await this.#use.accounts.getByName(viewer, followedName);
    await this.#require({ followerId: viewer.accountId, followedId: followed.id });
  }

  async #require(follow: Follow): Promise<void> {
    if (!(await hasFollow(this.#use.database.reader, follow))) throw notFound('follower');
  }

  /**
   * Makes the viewer follow an account. Does nothing if the viewer follows it already.
   *
   * @throws ForgeError as `Accounts.getByName`; `forbidden` for oneself, and if one of both has blocked the other;
   *   `invalid` for an organization as the viewer, and for too many
   */
  async add(viewer: SignedIn, name: string): Promise<void> {
    const { id: followedId } = await this.#use.accounts.getByName(viewer, name);
    const follow = { followerId: viewer.accountId, followedId };
    if (follow.followerId === followedId) throw forbidden('you cannot follow yourself');
    await this.#use.database
      .transaction(async (tx) => {
        await lockBoth(tx, follow);
        await requireMayFollow(tx, follow);
        if (!(await insertFollow(tx, follow))) return;
        const following = await addToFollowCounts(tx, follow, 1);
        if (following > FOLLOW_LIMITS.followingPerAccountMax)
          throw invalid(`you can follow at most ${FOLLOW_LIMITS.followingPerAccountMax} accounts`);
        const payload = { accountId: follow.followerId, followedId };
        await insertEvent(tx, ACCOUNT_FOLLOWED, { actorId: viewer.accountId, repositoryId: null, payload });
      })
      .catch(rethrowGone('account'));
  }

  /** Does nothing if the viewer does not follow the account. @throws ForgeError as `Accounts.getByName` */
  async remove(viewer: SignedIn, name: string): Promise<void> {
    const { id: followedId } = await this.#use.accounts.getByName(viewer, name);
    const follow = { followerId: viewer.accountId, followedId };
    await this.#use.database.transaction(async (tx) => {
      await lockBoth(tx, follow);
      if (!(await endFollow(tx, follow))) return;
      const payload = { accountId: follow.followerId, followedId };
      await insertEvent(tx, ACCOUNT_UNFOLLOWED, { actorId: viewer.accountId, repositoryId: null, payload });
    });
  }
}

async function lockBoth(tx: Tx, { followerId, followedId }: Follow): Promise<void> {
  await lockInOrder(tx, [followerId, followedId]);
  await lockUser(tx, followerId);
}

/** @throws ForgeError `forbidden` */
async function requireMayFollow(tx: Tx, { followerId, followedId }: Follow): Promise<void> {
  const why = 'you may not follow this account';
  await requireNotBlocked(tx, { blockerId: followedId, accountId: followerId }, why);
  await requireNotBlocked(
    tx,
    { blockerId: followerId, accountId: followedId },
    `you have blocked this account`,
  );
}

/** @returns whether it existed */
async function endFollow(tx: Tx, follow: Follow): Promise<boolean> {
  if (!(await deleteFollow(tx, follow))) return false;
  await addToFollowCounts(tx, follow, -1);
  return true;
}

/** Ends the follows between two accounts, of which one blocks the other. Both must be locked. */
export async function endFollowsBetween(
  tx: Tx,
  { blockerId, accountId }: { readonly blockerId: number; readonly accountId: number },
): Promise<void> {
  await endFollow(tx, { followerId: accountId, followedId: blockerId });
  await endFollow(tx, { followerId: blockerId, followedId: accountId });
}
