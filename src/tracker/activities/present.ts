import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { presentRepository } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { presentUser } from '../../people/accounts/present.ts';
import { presentComment } from '../issues/discussion/comments/present.ts';
import type { Activity, Contributions } from './model.ts';
import { ActivitySchema, HeatmapSchema } from './schema.ts';

function presentActivity(
  activity: Activity,
  viewer: Viewer,
  addresses: Addresses,
): Static<typeof ActivitySchema> {
  const { actor, repository, comment } = activity;
  return {
    id: activity.id,
    user_id: activity.feedOf,
    op_type: activity.opType,
    act_user_id: actor.id,
    act_user: presentUser(actor, viewer, addresses),
    repo_id: repository.repository.id,
    repo: presentRepository(repository, viewer, addresses),
    comment_id: comment?.id ?? 0,
    comment: comment === null ? null : presentComment(comment, viewer, addresses),
    ref_name: activity.refName,
    is_private: repository.repository.isPrivate,
    content: activity.content,
    created: wireTime(activity.at),
  };
}

function presentContributions({ seconds, count }: Contributions): Static<typeof HeatmapSchema> {
  return { timestamp: seconds, contributions: count };
}

export const ActivityAnswer = answerOf(ActivitySchema, presentActivity);
export const ContributionsAnswer = answerOf(HeatmapSchema, presentContributions);
