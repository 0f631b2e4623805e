import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { formatDuration } from '../../base/core/time/durations.ts';
import { UNSET_TIME, wireTime } from '../../http/time.ts';
import type { ShownPushMirror } from './model.ts';
import { PushMirrorSchema } from './schema.ts';

function presentPushMirror(mirror: ShownPushMirror): Static<typeof PushMirrorSchema> {
  return {
    repo_name: mirror.repositoryName,
    remote_name: mirror.name,
    remote_address: mirror.address,
    branch_filter: mirror.branchFilter,
    created: wireTime(mirror.createdAt),
    last_update: mirror.updatedAt === null ? UNSET_TIME : wireTime(mirror.updatedAt),
    last_error: mirror.error,
    interval: formatDuration(mirror.intervalMs),
    sync_on_commit: mirror.followsPushes,
    public_key: '',
  };
}

export const PushMirrorAnswer = answerOf(PushMirrorSchema, presentPushMirror);
