import { answerOf } from '../../../../api/operations/answers.ts';
import { wireTime } from '../../../../http/time.ts';
import { presentAuthor } from '../../../../people/accounts/present.ts';
import type { Reaction } from '../../models/reactions.ts';
import { ReactionSchema } from './schema.ts';

export const ReactionAnswer = answerOf(
  ReactionSchema,
  ({ author, content, createdAt }: Reaction, viewer, addresses) => ({
    user: presentAuthor(author, viewer, addresses),
    content,
    created_at: wireTime(createdAt),
  }),
);
