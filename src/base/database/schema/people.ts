import type { Generated } from 'kysely';

/** Written by `follows/`. */
export interface FollowsTable {
  follower_id: number;
  followed_id: number;
  created_at: number;
}

/** Written by `blocks/`. */
export interface BlocksTable {
  /** a user or an organization */
  blocker_id: number;
  blocked_id: number;
  created_at: number;
}

/**
 * Written by `avatars/`. Files with pictures. A file is linked while it has an account or a repository, of which it is the
 * present picture.
 */
export interface AvatarsTable {
  id: Generated<number>;
  /** names the object */
  uuid: string;
  account_id: number | null;
  repository_id: number | null;
  /** name of the picture in its address, hex; '' before the bytes are stored */
  hash: string;
  bytes: number;
  /** when the file is due for deletion, unless it is linked then */
  collect_at: number;
  is_doomed: number;
}

export interface PeopleTables {
  follows: FollowsTable;
  blocks: BlocksTable;
  avatars: AvatarsTable;
}
