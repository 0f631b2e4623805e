import { Type } from 'typebox';

export const IssueMetaBody = Type.Object(
  {
    owner: Type.Optional(Type.String({ description: 'owner of the repository; that of the URL if absent' })),
    repo: Type.Optional(Type.String({ description: 'name of the repository; that of the URL if absent' })),
    index: Type.Integer({ description: 'number of the other issue' }),
  },
  { $id: 'IssueMeta' },
);
