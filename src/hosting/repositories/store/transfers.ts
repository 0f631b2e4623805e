import { reaches } from '../../../api/access/levels.ts';
import { permissionsOf } from '../../../api/access/packing.ts';
import { isTransferRecipient } from '../../../api/access/store/repository.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Db } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../../people/accounts/columns.ts';
import { type TeamRow, teamOf } from '../../../people/teams/columns.ts';
import type { Team } from '../../../people/teams/model.ts';
import type { PendingTransfer } from '../model.ts';

interface TransferRow {
  repository_id: number;
  doer_id: number;
  recipient_id: number;
  is_recipient: number;
}

/** The columns of a repository that decide whether its transfer is read. */
interface Transferable {
  readonly id: number;
  readonly is_in_transfer: number;
  readonly permissions: number;
}

const NONE: ReadonlyMap<RepositoryId, PendingTransfer> = new Map();

/**
 * Finds the pending transfers of repositories. Only their owners and recipients get one: the recipient may be hidden
 * from other viewers.
 */
export async function findTransfers(
  db: Db,
  viewer: Viewer,
  rows: readonly Transferable[],
): Promise<ReadonlyMap<RepositoryId, PendingTransfer>> {
  const pending = rows.filter((row) => row.is_in_transfer === 1);
  if (pending.length === 0) return NONE;
  const owned = new Set(
    pending
      .filter(({ permissions }) => reaches(permissionsOf(permissions).level, 'owner'))
      .map(({ id }) => id),
  );
  const transfers = await query<TransferRow>(
    db,
    fragment`select p.repository_id, p.doer_id, p.recipient_id,
      case when ${isTransferRecipient(viewer)} then 1 else 0 end as is_recipient
    from repository_transfers p where p.repository_id in (${values(pending.map((row) => row.id))})`,
  );
  const shown = transfers.filter((row) => row.is_recipient === 1 || owned.has(row.repository_id));
  return shown.length === 0 ? NONE : withPeople(db, shown);
}

async function withPeople(
  db: Db,
  transfers: readonly TransferRow[],
): Promise<ReadonlyMap<RepositoryId, PendingTransfer>> {
  const involved = transfers.flatMap((transfer) => [transfer.doer_id, transfer.recipient_id]);
  const rows = await query<OwnerColumns>(
    db,
    fragment`select ${OWNER_COLUMNS} from accounts o where o.id in (${values(involved)})`,
  );
  const accounts = new Map(rows.map((row) => [row.owner_id, ownerOfColumns(row)] as const));
  const teams = await findTeams(db, transfers);
  const found = new Map<RepositoryId, PendingTransfer>();
  for (const { repository_id: id, doer_id, recipient_id } of transfers) {
    const doer = accounts.get(doer_id);
    const recipient = accounts.get(recipient_id);
    if (doer === undefined || recipient === undefined) continue;
    found.set(id, { doer, recipient, teams: teams.get(id) ?? [] });
  }
  return found;
}

async function findTeams(
  db: Db,
  transfers: readonly TransferRow[],
): Promise<ReadonlyMap<RepositoryId, readonly Team[]>> {
  const ids = transfers.map((transfer) => transfer.repository_id);
  const rows = await query<TeamRow & { repository_id: number }>(
    db,
    fragment`select x.repository_id, t.* from repository_transfer_teams x join teams t on t.id = x.team_id
      where x.repository_id in (${values(ids)}) order by t.lower_name`,
  );
  const found = new Map<RepositoryId, Team[]>();
  for (const row of rows)
    found.set(row.repository_id, [...(found.get(row.repository_id) ?? []), teamOf(row)]);
  return found;
}
