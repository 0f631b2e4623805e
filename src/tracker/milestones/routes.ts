import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { MILESTONE } from './actions.ts';
import { milestoneEditOf, milestoneFilterOf, newMilestoneOf } from './options.ts';
import { MilestoneAnswer } from './present.ts';
import { CreateMilestoneBody, EditMilestoneBody, MilestoneQuery } from './schema.ts';
import type { Milestones } from './service.ts';

const MILESTONES_URL = '/repos/:owner/:repo/milestones';
/** The id or the title. */
const MILESTONE_URL = `${MILESTONES_URL}/:milestone` as const;

interface Dependencies {
  readonly milestones: Milestones;
  readonly addresses: Addresses;
}

export function milestoneRoutes(app: App, { milestones, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { required, listRequired } = preconditionsOn(MilestoneAnswer, addresses);

  api.list(MILESTONES_URL, MILESTONE.read, {
    id: 'issueGetMilestonesList',
    isTagged: true,
    summary: 'List the milestones of a repository by their due dates',
    query: MilestoneQuery,
    answer: MilestoneAnswer,
    handle: ({ viewer, path, query, paging }) =>
      milestones.list(viewer, path, milestoneFilterOf(query), paging),
  });

  api.post(MILESTONES_URL, MILESTONE.change, {
    id: 'issueCreateMilestone',
    summary: 'Create a milestone',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: CreateMilestoneBody,
    status: 201,
    answer: MilestoneAnswer,
    handle: ({ viewer, path, body, request }) =>
      milestones.create(viewer, path, newMilestoneOf(body), listRequired(request)),
  });

  api.get(MILESTONE_URL, MILESTONE.read, {
    id: 'issueGetMilestone',
    isTagged: true,
    summary: 'Get a milestone',
    answer: MilestoneAnswer,
    handle: ({ viewer, path, params }) => milestones.get(viewer, path, params.milestone),
  });

  api.patch(MILESTONE_URL, MILESTONE.change, {
    id: 'issueEditMilestone',
    summary: 'Change, close or reopen a milestone',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: EditMilestoneBody,
    answer: MilestoneAnswer,
    handle: ({ viewer, path, params: { milestone: key }, body, request }) =>
      milestones.edit(viewer, path, { key, edit: milestoneEditOf(body) }, required(request)),
  });

  api.delete(MILESTONE_URL, MILESTONE.change, {
    id: 'issueDeleteMilestone',
    summary: 'Delete a milestone',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      milestones.delete(viewer, path, params.milestone, required(request)),
  });
}
