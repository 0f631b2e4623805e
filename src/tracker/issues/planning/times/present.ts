import type { Static } from 'typebox';
import { answerOf } from '../../../../api/operations/answers.ts';
import { wireTime } from '../../../../http/time.ts';
import { presentAuthor } from '../../../../people/accounts/present.ts';
import type { Issue } from '../../model.ts';
import type { TrackedTime } from '../../models/times.ts';
import { presentIssue } from '../../present.ts';
import { durationText } from './duration.ts';
import { StopWatchSchema, TrackedTimeSchema } from './schema.ts';

export const TimeAnswer = answerOf(
  TrackedTimeSchema,
  (time: TrackedTime, viewer, addresses): Static<typeof TrackedTimeSchema> => {
    const user = presentAuthor(time.account, viewer, addresses);
    return {
      id: time.id,
      created: wireTime(time.createdAt),
      time: time.seconds,
      user_id: user.id,
      user_name: user.login,
      issue_id: time.issueId,
      issue: presentIssue(time.issue, viewer, addresses),
    };
  },
);

/** A stopwatch that is running now. */
export interface RunningStopwatch {
  readonly issue: Issue;
  readonly startedAt: number;
  readonly seconds: number;
}

export const StopwatchAnswer = answerOf(
  StopWatchSchema,
  ({ issue, startedAt, seconds }: RunningStopwatch): Static<typeof StopWatchSchema> => ({
    created: wireTime(startedAt),
    seconds,
    duration: durationText(seconds),
    issue_index: issue.number,
    issue_title: issue.title,
    repo_owner_name: issue.repository.owner.name,
    repo_name: issue.repository.name,
  }),
);
