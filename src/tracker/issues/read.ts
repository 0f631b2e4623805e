import type { Viewer } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { OwnedLabel } from '../labels/model.ts';
import { readLabels } from '../labels/of-issues.ts';
import { readMilestones } from '../milestones/of-issues.ts';
import type { Issue } from './model.ts';
import { listAttachmentsOf } from './store/attachments.ts';
import { type AuthoredIssue, findMergeTimes } from './store/issues.ts';
import { listAssigneesOf, listLabelIds, listLinks } from './store/links.ts';

/** An issue with its repository, without the fields from other tables. */
export interface PlacedIssue extends AuthoredIssue {
  readonly repository: Repository;
}

/** Adds the fields of records that are in other tables, with one query for each table. */
export async function completeIssues(
  db: Db,
  viewer: Viewer,
  issues: readonly PlacedIssue[],
): Promise<readonly Issue[]> {
  if (issues.length === 0) return [];
  const ids = issues.map(({ state }) => state.id);
  const labelIds = await listLabelIds(db, ids);
  const labels = await readLabels(db, [...new Set([...labelIds.values()].flat())]);
  const assignees = await listAssigneesOf(db, viewer, ids);
  const milestones = await readMilestones(db, [
    ...new Set(issues.flatMap(({ state }) => state.milestoneId ?? [])),
  ]);
  const attachments = await listAttachmentsOf(db, 'issues', ids);
  const mergeTimes = await findMergeTimes(
    db,
    issues.flatMap(({ state }) => (state.isPull ? [state.id] : [])),
  );
  return issues.map(({ state, author, repository }) => ({
    ...state,
    repository,
    author,
    labels: labelsAt(repository, labelIds.get(state.id) ?? [], labels),
    milestone: (state.milestoneId === null ? undefined : milestones.get(state.milestoneId)) ?? null,
    assignees: assignees.get(state.id) ?? [],
    attachments: attachments.get(state.id) ?? [],
    pull: state.isPull ? { mergedAt: mergeTimes.get(state.id) ?? null } : null,
  }));
}

/** @see completeIssues */
export async function completeIssue(db: Db, viewer: Viewer, issue: PlacedIssue): Promise<Issue> {
  const [complete] = await completeIssues(db, viewer, [issue]);
  if (complete === undefined) throw new Error('an issue was lost');
  return complete;
}

/** Reads the labels of one issue, by name. */
export async function readLabelsOf(
  db: Db,
  { state, repository }: Pick<PlacedIssue, 'state' | 'repository'>,
): Promise<readonly OwnedLabel[]> {
  const ids = await listLinks(db, 'labels', state.id);
  return labelsAt(repository, ids, await readLabels(db, ids));
}

function labelsAt(
  repository: Repository,
  ids: readonly number[],
  labels: Awaited<ReturnType<typeof readLabels>>,
): readonly OwnedLabel[] {
  return ids
    .flatMap((id) => labels.get(id)?.(repository) ?? [])
    .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}
