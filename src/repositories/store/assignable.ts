import { accountVisible } from '../../access/store/account.ts';
import { HELD_BY_PERSON, heldReaches, PERSON_JOIN } from '../../access/store/repository.ts';
import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import type { Page, Paging } from '../../core/paging.ts';
import type { Db } from '../../database/database.ts';
import { type Fragment, fragment, values } from '../../database/fragment.ts';
import { query, queryPage } from '../../database/query.ts';
import type { RepositoryId } from '../../git/model.ts';

/** Ids of the owner, the collaborators and the organization's members of `repositories r`. */
const INVOLVED = fragment`select r.owner_id
    union select co.account_id from collaborations co where co.repository_id = r.id
    union select om.account_id from organization_members om where om.organization_id = r.owner_id`;

/** Lists users who can be given an issue or a pull request: those who may change one of them. */
export function listAssignees(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
  paging: Paging,
): Promise<Page<PublicAccount>> {
  const may = heldReaches('write', ['issues', 'pulls']);
  return listAble(db, viewer, { id, candidates: INVOLVED, may }, paging);
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
): Promise<readonly PublicAccount[]> {
  if (lowerNames.length === 0) return [];
  const from = ableAccounts(id, INVOLVED, heldReaches('write', ['issues', 'pulls']));
  const rows = await query<OwnerColumns>(
    db,
    fragment`select ${OWNER_COLUMNS} from ${from} and o.lower_name in (${values(lowerNames)})`,
  );
  return rows.map(ownerOfColumns);
}

/** Lists users who can be asked for a review: those involved, and public watchers, who may read pull requests. */
export function listReviewers(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
  paging: Paging,
): Promise<Page<PublicAccount>> {
  const candidates = fragment`${INVOLVED}
    union select w.account_id from watches w join accounts who on who.id = w.account_id
      where w.repository_id = r.id and who.hides_activity = 0`;
  return listAble(db, viewer, { id, candidates, may: heldReaches('read', ['pulls']) }, paging);
}

/** Lists active users by name: those of the candidates who may do something and are visible to the viewer. */
function listAble(
  db: Db,
  viewer: Viewer,
  { id, candidates, may }: { id: RepositoryId; candidates: Fragment; may: Fragment },
  paging: Paging,
): Promise<Page<PublicAccount>> {
  const from = fragment`${ableAccounts(id, candidates, may)} and ${accountVisible(viewer)} = 1`;
  return queryPage(
    db,
    { select: OWNER_COLUMNS, from, orderBy: fragment`o.lower_name` },
    paging,
    ownerOfColumns,
  );
}

/** The active users of the candidates who may do something with a repository: `accounts o where …`. */
function ableAccounts(id: RepositoryId, candidates: Fragment, may: Fragment): Fragment {
  return fragment`accounts o where o.id in (
      select able.id from (select person.id, ${HELD_BY_PERSON} as held from repositories r
        join accounts o on o.id = r.owner_id
        join accounts person on person.id in (${candidates}) and person.kind = 'user' and person.is_active = 1
        ${PERSON_JOIN}
        where r.id = ${id}) able
      where ${may})`;
}
