import type { Scalar } from '../database/database.ts';
import { LEVELS, type Level } from './policy.ts';
import type { Viewer } from './viewer.ts';

/**
 * The level a viewer holds on a repository, as one SQL expression: 0 none, 1 read, 2 write, 3 admin, 4 owner. It is
 * the only place that knows who may see what; looking one up and listing many both ask it.
 *
 * Expects the tables `repositories r` and `accounts o` (the owner) and, for the viewer's own collaboration,
 * `HELD_JOIN`. Its parameters are `heldParameters(viewer)`.
 */
export const HELD_LEVEL = `case
  when ? = 1 and (r.is_private = 1 or o.visibility <> 'public') then 0
  when ? = 1 then 4
  when r.owner_id = ? then 4
  when c.level = 'admin' then 3
  when c.level = 'write' then 2
  when c.level = 'read' then 1
  when r.is_private = 0 and ? = 1 and (o.visibility = 'public' or (o.visibility = 'limited' and ? = 1)) then 1
  else 0
end`;

/** Joins what `HELD_LEVEL` reads. Its one parameter is the viewer's account. */
export const HELD_JOIN = 'left join collaborations c on c.repository_id = r.id and c.account_id = ?';

/** No account has this id. */
const NOBODY = 0;

export function viewerParameter(viewer: Viewer): number {
  return viewer.accountId ?? NOBODY;
}

export function heldParameters(viewer: Viewer): readonly Scalar[] {
  return [
    flag(viewer.publicOnly),
    flag(viewer.isAdmin),
    viewerParameter(viewer),
    // Somebody who is restricted sees only what was given to them by name.
    flag(!viewer.isRestricted),
    flag(viewer.accountId !== null),
  ];
}

export function levelOfRank(rank: number): Level {
  return LEVELS[rank] ?? 'none';
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}
