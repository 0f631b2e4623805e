import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import { type ResetLinkRecord, ResetLinkSchema } from './schema.ts';
import type { HandedOverLink } from './service.ts';

function presentResetLink({ url, endsAt }: HandedOverLink): ResetLinkRecord {
  return { url, expires_at: wireTime(endsAt) };
}

export const ResetLinkAnswer = answerOf(ResetLinkSchema, presentResetLink);
