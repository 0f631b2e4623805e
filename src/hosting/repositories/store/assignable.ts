import type { TrackerUnit } from '../../../api/access/levels.ts';
import { accountVisible } from '../../../api/access/store/account.ts';
import { accountsWith } from '../../../api/access/store/repository.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, values } from '../../../base/database/fragment.ts';
import { query, queryPage } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';

/** Ids of the owner, the collaborators and the organization's members of `repositories r`. */
const INVOLVED = fragment`select r.owner_id
    union select co.account_id from collaborations co where co.repository_id = r.id
    union select om.account_id from organization_members om where om.organization_id = r.owner_id`;

const WRITE_EITHER = { level: 'write', units: ['issues', 'pulls'] } as const;

/** Lists users who can be given an issue or a pull request: those who may change one of them. */
export function listAssignees(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
  paging: Paging,
): Promise<Page<ShownAccount>> {
  return listAble(db, viewer, accountsWith(WRITE_EITHER, id, INVOLVED), paging);
}

/**
 * Finds those of some users who can be given an issue or a pull request of a repository.
 *
 * @param lowerNames in lower case
 */
export async function findAssignable(
  db: Db,
  id: RepositoryId,
  lowerNames: readonly string[],
): Promise<readonly ShownAccount[]> {
  if (lowerNames.length === 0) return [];
  const rows = await query<UserColumns>(
    db,
    fragment`select ${USER_COLUMNS} from accounts o
      where o.id in (${accountsWith(WRITE_EITHER, id, INVOLVED)}) and o.lower_name in (${values(lowerNames)})`,
  );
  return rows.map(userOfColumns);
}

/** Users and teams that a text names. */
interface NamedReaders {
  /** of the issue or the pull request that has the text; the readers may read this unit */
  readonly unit: TrackerUnit;
  /** in lower case */
  readonly lowerNames: readonly string[];
  /** teams of the repository's organization, in lower case */
  readonly lowerTeams: readonly string[];
  /** the writer; teams count for members of the organization only, because others may not know who is in them */
  readonly writerId: number;
}

/** Lists the ids of users who are named, or are in a team that is, and who may read such issues. */
export async function findReaders(
  db: Db,
  id: RepositoryId,
  { unit, lowerNames, lowerTeams, writerId }: NamedReaders,
  options: { readonly limit: number },
): Promise<readonly number[]> {
  const named = fragment`select named.id from accounts named where named.lower_name in (${values(lowerNames)})`;
  const ofTeams = fragment`select m.account_id from teams t join team_members m on m.team_id = t.id
    where t.organization_id = r.owner_id and t.lower_name in (${values(lowerTeams)}) and exists (
      select 1 from organization_members writer
      where writer.organization_id = r.owner_id and writer.account_id = ${writerId})`;
  const candidates = [
    ...(lowerNames.length === 0 ? [] : [named]),
    ...(lowerTeams.length === 0 ? [] : [ofTeams]),
  ];
  if (candidates.length === 0) return [];
  const able = accountsWith({ level: 'read', units: [unit] }, id, joined(candidates, ' union '));
  const rows = await query<{ id: number }>(
    db,
    fragment`select o.id from accounts o where o.id in (${able})
      order by o.id limit ${options.limit}`,
  );
  return rows.map((row) => row.id);
}

/** Lists users who can be asked for a review: those involved, and public watchers, who may read pull requests. */
export function listReviewers(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
  paging: Paging,
): Promise<Page<ShownAccount>> {
  const candidates = fragment`${INVOLVED}
    union select w.account_id from watches w join accounts who on who.id = w.account_id
      where w.repository_id = r.id and who.hides_activity = 0`;
  const able = accountsWith({ level: 'read', units: ['pulls'] }, id, candidates);
  return listAble(db, viewer, able, paging);
}

/** Lists by name those of the accounts that are visible to the viewer. */
function listAble(db: Db, viewer: Viewer, ids: Fragment, paging: Paging): Promise<Page<ShownAccount>> {
  const from = fragment`accounts o where o.id in (${ids}) and ${accountVisible(viewer)} = 1`;
  return queryPage(
    db,
    { select: USER_COLUMNS, from, orderBy: fragment`o.lower_name` },
    paging,
    userOfColumns,
  );
}
