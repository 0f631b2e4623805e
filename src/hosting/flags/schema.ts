import { Type } from 'typebox';

export const ReplaceFlagsBody = Type.Object(
  { flags: Type.Array(Type.String()) },
  { $id: 'ReplaceFlagsOption' },
);
