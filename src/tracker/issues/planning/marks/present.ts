import { answerOf } from '../../../../api/operations/answers.ts';
import { wireTime } from '../../../../http/time.ts';
import type { Issue } from '../../model.ts';
import type { FreePins } from './model.ts';
import { IssueDeadlineSchema, NewPinsAllowedSchema } from './schema.ts';

export const DeadlineAnswer = answerOf(IssueDeadlineSchema, ({ dueAt }: Pick<Issue, 'dueAt'>) => ({
  due_date: dueAt === null ? null : wireTime(dueAt),
}));

export const FreePinsAnswer = answerOf(NewPinsAllowedSchema, ({ forIssues, forPulls }: FreePins) => ({
  issues: forIssues,
  pull_requests: forPulls,
}));
