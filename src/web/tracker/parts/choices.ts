import { undefinedIf } from '../../../base/core/failure.ts';
import { REPOSITORY } from '../../../hosting/repositories/actions.ts';
import { isGranted } from '../../../hosting/repositories/authorize.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import type { OwnedLabel } from '../../../tracker/labels/model.ts';
import type { Labels } from '../../../tracker/labels/service.ts';
import type { Milestone } from '../../../tracker/milestones/model.ts';
import type { Milestones } from '../../../tracker/milestones/service.ts';
import { WEB_LIMITS } from '../../limits.ts';
import type { TrackerView } from './view.ts';

/** What the labels, milestones and assignees of an issue can be. */
export interface Choices {
  readonly labels: readonly OwnedLabel[];
  /** open ones, the next due first */
  readonly milestones: readonly Milestone[];
  readonly assignees: readonly PublicAccount[];
}

export interface ChoiceServices {
  readonly labels: Labels;
  readonly milestones: Milestones;
  readonly repositories: Repositories;
}

const FIRST = { page: 1, limit: WEB_LIMITS.trackerChoicesMax };

/** Lists what forms and filters offer, up to a number of each kind. */
export async function choicesOf(
  { viewer, permitted }: Pick<TrackerView, 'viewer' | 'permitted'>,
  { labels, milestones, repositories }: ChoiceServices,
): Promise<Choices> {
  const { owner, name } = permitted.repository;
  const path = { owner: owner.name, name };
  const own = await labels.list(viewer, { kind: 'repository', path }, 'name', FIRST);
  const shared =
    owner.kind === 'organization'
      ? await labels
          .list(viewer, { kind: 'organization', name: owner.name }, 'name', FIRST)
          .catch(undefinedIf('not_found', 'forbidden', 'unauthenticated'))
      : undefined;
  const open = await milestones.list(viewer, path, { state: 'open', title: '' }, FIRST);
  const people = isGranted(viewer, permitted, REPOSITORY.listAssignable)
    ? // A token may be for issues only.
      await repositories.people.listAssignees(viewer, path, FIRST).catch(undefinedIf('forbidden'))
    : undefined;
  return {
    labels: [...own.items, ...(shared?.items ?? [])].filter(({ isArchived }) => !isArchived),
    milestones: open.items,
    assignees: people?.items ?? [],
  };
}
