import { answerOf } from '../../access/answers.ts';
import { presentAuthor } from '../../accounts/present.ts';
import { wireTime } from '../../http/time.ts';
import type { Reaction } from './model.ts';
import { ReactionSchema } from './schema.ts';

export const ReactionAnswer = answerOf(
  ReactionSchema,
  ({ author, content, createdAt }: Reaction, viewer, addresses) => ({
    user: presentAuthor(author, viewer, addresses),
    content,
    created_at: wireTime(createdAt),
  }),
);
