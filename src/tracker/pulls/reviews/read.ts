import type { Viewer } from '../../../api/access/viewer.ts';
import type { Db } from '../../../base/database/database.ts';
import { findVisibleAccounts } from '../../../people/accounts/visible.ts';
import type { Teams } from '../../../people/teams/service.ts';
import type { Review, ReviewComment, ReviewCommentRow, ReviewedPull, ReviewRow } from './model.ts';

/** Adds the fields from other tables to reviews of one pull request, with one query for each table. */
export async function completeReviews(
  db: Db,
  viewer: Viewer,
  { pull, teams }: { readonly pull: ReviewedPull; readonly teams: Teams },
  rows: readonly ReviewRow[],
): Promise<readonly Review[]> {
  const authors = await findVisibleAccounts(
    db,
    viewer,
    rows.flatMap(({ accountId }) => accountId ?? []),
  );
  const teamIds = [...new Set(rows.flatMap(({ teamId }) => teamId ?? []))];
  const found = await teams.repositories.listById(db, pull.repository.owner.id, teamIds);
  const byId = new Map(found.map((team) => [team.id, team]));
  return rows.map((row) => ({
    ...row,
    pull,
    author: (row.accountId === null ? undefined : authors.get(row.accountId)) ?? null,
    team: (row.teamId === null ? undefined : byId.get(row.teamId)) ?? null,
  }));
}

/** Adds the fields from other tables to comments of one pull request. */
export async function completeComments(
  db: Db,
  viewer: Viewer,
  pull: ReviewedPull,
  rows: readonly ReviewCommentRow[],
): Promise<readonly ReviewComment[]> {
  const accounts = await findVisibleAccounts(
    db,
    viewer,
    rows.flatMap(({ accountId, resolverId }) => [accountId ?? [], resolverId ?? []].flat()),
  );
  const accountOf = (id: number | null) => (id === null ? undefined : accounts.get(id)) ?? null;
  return rows.map((row) => ({
    ...row,
    pull,
    author: accountOf(row.accountId),
    resolver: accountOf(row.resolverId),
  }));
}
