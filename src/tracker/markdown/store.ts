import type { Permissions } from '../../api/access/levels.ts';
import { permissionsOf } from '../../api/access/packing.ts';
import type { OwnerKind } from '../../api/access/policy.ts';
import { packedPermissions, permissionJoin } from '../../api/access/store/repository.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import { fragment, joined } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';
import type { IssuePath } from './model.ts';

/** An issue or a pull request that a path names, and what the viewer holds on its repository. */
export interface NamedIssue {
  /** position of its path */
  readonly position: number;
  readonly isPull: boolean;
  /** Whether the repository has issues, or pull requests, of its own. */
  readonly isSwitchedOn: boolean;
  readonly permissions: Permissions;
  readonly ownerKind: OwnerKind;
}

interface Row {
  readonly position: number;
  readonly is_pull: number;
  readonly issues: string;
  readonly has_pulls: number;
  readonly permissions: number;
  readonly owner_kind: OwnerKind;
}

/** Finds all issues at these paths with one statement. */
export async function listIssuesAt(
  db: Db,
  viewer: Viewer,
  paths: readonly IssuePath[],
): Promise<readonly NamedIssue[]> {
  const wanted = paths.map(
    ({ owner, name, number }, position) =>
      fragment`(cast(${position} as integer), cast(${owner.toLowerCase()} as text), cast(${name.toLowerCase()} as text), cast(${number} as bigint))`,
  );
  const rows = await query<Row>(
    db,
    fragment`with wanted (position, owner_name, name, number) as (values ${joined(wanted, ', ')})
      select wanted.position, i.is_pull, r.issues, r.has_pulls, o.kind as owner_kind,
        ${packedPermissions(viewer)} as permissions
      from wanted join accounts o on o.lower_name = wanted.owner_name
      join repositories r on r.owner_id = o.id and r.lower_name = wanted.name
      join issues i on i.repository_id = r.id and i.number = wanted.number
      ${permissionJoin(viewer)}`,
  );
  return rows.map((row) => ({
    position: row.position,
    isPull: row.is_pull === 1,
    isSwitchedOn: row.is_pull === 1 ? row.has_pulls === 1 : row.issues === 'built-in',
    permissions: permissionsOf(row.permissions),
    ownerKind: row.owner_kind,
  }));
}
