import { Type } from 'typebox';
import { reference } from '../../../../http/shapes.ts';
import { UserSchema } from '../../../../people/accounts/schema.ts';

export const ReactionSchema = Type.Object(
  {
    user: reference(UserSchema),
    content: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Reaction' },
);

export const EditReactionBody = Type.Object({ content: Type.String() }, { $id: 'EditReactionOption' });
