import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { BlockedUser } from './model.ts';
import { type BlockedUserRecord, BlockedUserSchema } from './schema.ts';

export function presentBlocked({ accountId, createdAt }: BlockedUser): BlockedUserRecord {
  return { block_id: accountId, created_at: wireTime(createdAt) };
}

export const BlockedUserAnswer = answerOf(BlockedUserSchema, presentBlocked);
