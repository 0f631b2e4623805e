import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { Milestone } from './model.ts';
import { MilestoneSchema } from './schema.ts';

export function presentMilestone(milestone: Milestone): Static<typeof MilestoneSchema> {
  const { closedAt, dueAt } = milestone;
  return {
    id: milestone.id,
    title: milestone.title,
    description: milestone.description,
    state: milestone.isClosed ? 'closed' : 'open',
    open_issues: milestone.openIssuesCount,
    closed_issues: milestone.closedIssuesCount,
    created_at: wireTime(milestone.createdAt),
    updated_at: wireTime(milestone.updatedAt),
    closed_at: closedAt === null ? null : wireTime(closedAt),
    due_on: dueAt === null ? null : wireTime(dueAt),
  };
}

export const MilestoneAnswer = answerOf(MilestoneSchema, presentMilestone);
