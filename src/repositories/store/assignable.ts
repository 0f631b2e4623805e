import {
  ACCOUNT_VISIBLE,
  HELD_BY_PERSON,
  heldReaches,
  PERSON_JOIN,
  visibleParameters,
} from '../../access/held.ts';
import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import { offsetOf, type Page, type Paging } from '../../core/paging.ts';
import { type Db, hotQuery } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';

type Listing = (db: Db, viewer: Viewer, id: RepositoryId, paging: Paging) => Promise<Page<PublicAccount>>;

/** Who has anything to do with `repositories r`: its owner, its collaborators, and members of its organization. */
const INVOLVED = `select r.owner_id
    union select co.account_id from collaborations co where co.repository_id = r.id
    union select om.account_id from organization_members om where om.organization_id = r.owner_id`;

/** Users that may be asked for something, by name: those who may do it and whom the viewer may know of. */
function assignable(from: { candidates: string; may: string }): Listing {
  const people = `from accounts o where o.id in (
      select able.id from (select person.id, ${HELD_BY_PERSON} as held from repositories r
        join accounts o on o.id = r.owner_id
        join accounts person on person.id in (${from.candidates}) and person.kind = 'user' and person.is_active = 1
        ${PERSON_JOIN}
        where r.id = ?) able
      where ${from.may})
    and ${ACCOUNT_VISIBLE} = 1`;
  const page = hotQuery<OwnerColumns>(
    `select ${OWNER_COLUMNS} ${people} order by o.lower_name limit ? offset ?`,
  );
  const count = hotQuery<{ total: number }>(`select count(*) as total ${people}`);
  return async (db, viewer, id, paging) => {
    const chosen = [id, ...visibleParameters(viewer)];
    const rows = await page(db, [...chosen, paging.limit, offsetOf(paging)]);
    const [counted] = await count(db, chosen);
    return { items: rows.map(ownerOfColumns), total: counted?.total ?? 0 };
  };
}

/** Who can be given an issue or a pull request: whoever may change one of them. */
export const listAssignees = assignable({
  candidates: INVOLVED,
  may: heldReaches('write', ['issues', 'pulls']),
});

/** Who can be asked for a review: whoever is involved, or watches and lets that be known, and may read pull requests. */
export const listReviewers = assignable({
  candidates: `${INVOLVED}
    union select w.account_id from watches w join accounts who on who.id = w.account_id
      where w.repository_id = r.id and who.hides_activity = 0`,
  may: heldReaches('read', ['pulls']),
});
