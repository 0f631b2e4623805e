import type { Selectable } from 'kysely';
import { idOf, type Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, raw } from '../../../base/database/fragment.ts';
import { query, queryPage } from '../../../base/database/query.ts';
import type { ProtectionsTable } from '../../../base/database/schema/protection.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import {
  type ListPurpose,
  NEW_SETTINGS,
  type ProtectedKind,
  type Protection,
  type ProtectionFields,
  type ProtectionForViewer,
  type StoredSettings,
} from '../model.ts';

type ProtectionRow = Selectable<ProtectionsTable>;

interface ViewerRow extends ProtectionRow {
  is_push_listed: number;
  is_force_push_listed: number;
  is_merge_listed: number;
}

function protectionOf(row: ProtectionRow): Protection {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    kind: row.kind,
    pattern: row.pattern,
    allowsPush: row.allows_push === 1,
    limitsPush: row.limits_push === 1,
    allowsForcePush: row.allows_force_push === 1,
    limitsForcePush: row.limits_force_push === 1,
    limitsMerge: row.limits_merge === 1,
    requiresSignatures: row.requires_signatures === 1,
    protectedFiles: row.protected_files,
    unprotectedFiles: row.unprotected_files,
    // Rows from before a setting existed lack it.
    settings: { ...NEW_SETTINGS, ...(JSON.parse(row.settings) as Partial<StoredSettings>) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Whether a list of `protections p` has the viewer, by name or through a team of the repository's owner. */
function hasListed(viewer: Viewer, purpose: Exclude<ListPurpose, 'approve'>): Fragment {
  const which = raw(`'${purpose}'`);
  return fragment`case when exists (select 1 from protection_accounts a
      where a.protection_id = p.id and a.purpose = ${which} and a.account_id = ${idOf(viewer)})
    or exists (select 1 from protection_teams t
      join team_members m on m.team_id = t.team_id and m.account_id = ${idOf(viewer)}
      join repositories r on r.id = p.repository_id and r.owner_id = m.organization_id
      where t.protection_id = p.id and t.purpose = ${which}) then 1 else 0 end`;
}

/** Lists the protections of one kind with what their lists say about the viewer, the oldest first. */
export async function listForViewer(
  db: Db,
  viewer: Viewer,
  repositoryId: RepositoryId,
  kind: ProtectedKind,
): Promise<readonly ProtectionForViewer[]> {
  const rows = await query<ViewerRow>(
    db,
    fragment`select p.*, ${hasListed(viewer, 'push')} as is_push_listed,
      ${hasListed(viewer, 'force-push')} as is_force_push_listed,
      ${hasListed(viewer, 'merge')} as is_merge_listed
    from protections p where p.repository_id = ${repositoryId} and p.kind = ${kind} order by p.id`,
  );
  const isDeployKey = viewer.kind === 'deploy-key';
  return rows.map((row) => {
    const protection = protectionOf(row);
    const { pushDeployKeys, forcePushDeployKeys } = protection.settings;
    return {
      ...protection,
      isPushListed: isDeployKey ? pushDeployKeys : row.is_push_listed === 1,
      isForcePushListed: isDeployKey ? forcePushDeployKeys : row.is_force_push_listed === 1,
      isMergeListed: row.is_merge_listed === 1,
    };
  });
}

export function listProtections(
  db: Db,
  repositoryId: RepositoryId,
  kind: ProtectedKind,
  paging: Paging,
): Promise<Page<Protection>> {
  const from = fragment`protections p where p.repository_id = ${repositoryId} and p.kind = ${kind}`;
  const list = { select: fragment`p.*`, from, orderBy: fragment`p.id` };
  return queryPage(db, list, paging, protectionOf);
}

/** Names one protection of a repository: a branch protection by its pattern, a tag protection by its id. */
export type ProtectionKey =
  | { readonly kind: 'branch'; readonly pattern: string }
  | { readonly kind: 'tag'; readonly id: number };

export async function findProtection(
  db: Db,
  repositoryId: RepositoryId,
  key: ProtectionKey,
): Promise<Protection | undefined> {
  const row = await db
    .selectFrom('protections')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('kind', '=', key.kind)
    .where((where) => (key.kind === 'branch' ? where('pattern', '=', key.pattern) : where('id', '=', key.id)))
    .executeTakeFirst();
  return row && protectionOf(row);
}

export async function countProtections(tx: Tx, repositoryId: RepositoryId): Promise<number> {
  const { total } = await tx
    .selectFrom('protections')
    .where('repository_id', '=', repositoryId)
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** @throws a unique violation if the repository has a protection with this pattern */
export async function insertProtection(
  tx: Tx,
  repositoryId: RepositoryId,
  kind: ProtectedKind,
  fields: ProtectionFields,
): Promise<Protection> {
  const at = currentTimeMs();
  const row = await tx
    .insertInto('protections')
    .values({ repository_id: repositoryId, kind, created_at: at, updated_at: at, ...columnsOf(fields) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return protectionOf(row);
}

/** @throws a unique violation if the repository has another protection with this pattern */
export async function setProtection(tx: Tx, id: number, fields: ProtectionFields): Promise<Protection> {
  const row = await tx
    .updateTable('protections')
    .set({ ...columnsOf(fields), updated_at: currentTimeMs() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return protectionOf(row);
}

export async function deleteProtection(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('protections').where('id', '=', id).execute();
}

function columnsOf(fields: ProtectionFields) {
  return {
    pattern: fields.pattern,
    allows_push: flag(fields.allowsPush),
    limits_push: flag(fields.limitsPush),
    allows_force_push: flag(fields.allowsForcePush),
    limits_force_push: flag(fields.limitsForcePush),
    limits_merge: flag(fields.limitsMerge),
    requires_signatures: flag(fields.requiresSignatures),
    protected_files: fields.protectedFiles,
    unprotected_files: fields.unprotectedFiles,
    settings: JSON.stringify(fields.settings),
  };
}
