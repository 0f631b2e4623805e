import { accountVisible } from '../../api/access/store/account.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Db, Tx } from '../../base/database/database.ts';
import { type Fragment, fragment, raw } from '../../base/database/fragment.ts';
import { queryFirst, queryPage } from '../../base/database/query.ts';
import { USER_COLUMNS, userOfColumns } from '../accounts/columns.ts';
import type { ShownAccount } from '../accounts/model.ts';
import type { Follow } from './model.ts';

async function hasRow(db: Db, statement: Fragment): Promise<boolean> {
  return (await queryFirst(db, statement)) !== undefined;
}

function isFollow({ followerId, followedId }: Follow): Fragment {
  return fragment`follower_id = ${followerId} and followed_id = ${followedId}`;
}

export function hasFollow(db: Db, follow: Follow): Promise<boolean> {
  return hasRow(db, fragment`select follower_id from follows where ${isFollow(follow)}`);
}

/** @returns whether it was missing */
export function insertFollow(tx: Tx, { followerId, followedId }: Follow): Promise<boolean> {
  return hasRow(
    tx,
    fragment`insert into follows (follower_id, followed_id, created_at)
      values (${followerId}, ${followedId}, ${currentTimeMs()})
      on conflict (follower_id, followed_id) do nothing returning follower_id`,
  );
}

/** @returns whether it existed */
export function deleteFollow(tx: Tx, follow: Follow): Promise<boolean> {
  return hasRow(tx, fragment`delete from follows where ${isFollow(follow)} returning follower_id`);
}

const SIDES = {
  followers: { of: raw('f.followed_id'), listed: raw('f.follower_id') },
  following: { of: raw('f.follower_id'), listed: raw('f.followed_id') },
} as const;

/** Lists the visible accounts that follow an account, or that it follows. The earliest come first. */
export function listFollows(
  db: Db,
  viewer: Viewer,
  { side, accountId }: { readonly side: keyof typeof SIDES; readonly accountId: number },
  paging: Paging,
): Promise<Page<ShownAccount>> {
  const { of, listed } = SIDES[side];
  const people = {
    select: USER_COLUMNS,
    from: fragment`follows f join accounts o on o.id = ${listed}
      where ${of} = ${accountId} and ${accountVisible(viewer)} = 1`,
    orderBy: fragment`f.created_at, o.id`,
  };
  return queryPage(db, people, paging, userOfColumns);
}
