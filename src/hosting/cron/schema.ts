import { type Static, Type } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { formatDuration } from '../../base/core/time/durations.ts';
import { NEVER_FILLED, wireTime } from '../../http/time.ts';
import type { CronTask } from './model.ts';

const CronSchema = Type.Object(
  {
    name: Type.String(),
    schedule: Type.String({ description: 'such as `@every 10m0s`' }),
    next: Type.String({ format: 'date-time' }),
    prev: Type.String({ format: 'date-time', description: `\`${NEVER_FILLED}\` before the first run` }),
    exec_times: Type.Integer({ description: 'number of runs that have ended' }),
  },
  { $id: 'Cron' },
);

export const CronAnswer = answerOf(CronSchema, presentTask);

function presentTask({ name, work }: CronTask): Static<typeof CronSchema> {
  const lastRunAt = Math.max(...work.map((each) => each.lastRunAt ?? Number.NEGATIVE_INFINITY));
  return {
    name,
    schedule: `@every ${formatDuration(Math.min(...work.map(({ everyMs }) => everyMs)))}`,
    next: wireTime(Math.min(...work.map(({ nextAt }) => nextAt))),
    prev: Number.isFinite(lastRunAt) ? wireTime(lastRunAt) : NEVER_FILLED,
    exec_times: work.reduce((sum, { runs }) => sum + runs, 0),
  };
}
