import { ASKED_TO_TAKE, askedParameters, heldOf } from '../../access/held.ts';
import { reaches } from '../../access/levels.ts';
import type { Viewer } from '../../access/viewer.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../accounts/columns.ts';
import { type Db, hotQueries, type Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import { type TeamRow, teamOf } from '../../teams/columns.ts';
import type { Team } from '../../teams/model.ts';
import type { PendingTransfer } from '../model.ts';

interface TransferRow {
  repository_id: number;
  doer_id: number;
  recipient_id: number;
  is_asked: number;
}

/** What tells, of the row of a repository, whether to ask for its transfer. */
interface Transferable {
  readonly id: number;
  readonly is_in_transfer: number;
  readonly held: number;
}

const NONE: ReadonlyMap<RepositoryId, PendingTransfer> = new Map();

const transfersOf = hotQueries<TransferRow>(
  (ids) => `select p.repository_id, p.doer_id, p.recipient_id,
      case when ${ASKED_TO_TAKE} then 1 else 0 end as is_asked
    from repository_transfers p where p.repository_id in (${ids})`,
);
const accountsByIds = hotQueries<OwnerColumns>(
  (ids) => `select ${OWNER_COLUMNS} from accounts o where o.id in (${ids})`,
);
const teamsOf = hotQueries<TeamRow & { repository_id: number }>(
  (ids) => `select x.repository_id, t.* from repository_transfer_teams x join teams t on t.id = x.team_id
    where x.repository_id in (${ids}) order by t.lower_name`,
);

/**
 * Who was asked to take over those repositories that somebody was asked for. Only who owns one or was asked is told: the
 * recipient may be hidden from everybody else.
 */
export async function findTransfers(
  db: Db,
  viewer: Viewer,
  rows: readonly Transferable[],
): Promise<ReadonlyMap<RepositoryId, PendingTransfer>> {
  const pending = rows.filter((row) => row.is_in_transfer === 1);
  if (pending.length === 0) return NONE;
  const owned = new Set(
    pending.filter(({ held }) => reaches(heldOf(held).level, 'owner')).map(({ id }) => id),
  );
  const ids = pending.map((row) => row.id);
  const transfers = (await transfersOf(db, askedParameters(viewer), ids)).filter(
    (transfer) => transfer.is_asked === 1 || owned.has(transfer.repository_id),
  );
  return transfers.length === 0 ? NONE : withPeople(db, transfers);
}

async function withPeople(
  db: Db,
  transfers: readonly TransferRow[],
): Promise<ReadonlyMap<RepositoryId, PendingTransfer>> {
  const involved = transfers.flatMap((transfer) => [transfer.doer_id, transfer.recipient_id]);
  const accounts = new Map(
    (await accountsByIds(db, [], involved)).map((row) => [row.owner_id, ownerOfColumns(row)] as const),
  );
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
  const rows = await teamsOf(
    db,
    [],
    transfers.map((transfer) => transfer.repository_id),
  );
  const found = new Map<RepositoryId, Team[]>();
  for (const row of rows)
    found.set(row.repository_id, [...(found.get(row.repository_id) ?? []), teamOf(row)]);
  return found;
}

/** @returns whether there is such a repository */
export async function setInTransfer(tx: Tx, id: RepositoryId, isInTransfer: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ is_in_transfer: isInTransfer ? 1 : 0 })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
