import { Type } from 'typebox';

export const ChangePasswordBody = Type.Object(
  {
    current_password: Type.String(),
    new_password: Type.String(),
    /** Also deletes all access tokens of the account. */
    delete_tokens: Type.Optional(Type.Boolean()),
  },
  { $id: 'ChangePasswordOption' },
);
