import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

const GitObjectSchema = Type.Object(
  {
    type: Type.String({ description: '`commit`, `tag`, `tree` or `blob`' }),
    sha: Type.String(),
    url: Type.String(),
  },
  { $id: 'GitObject' },
);

export const ReferenceSchema = Type.Object(
  {
    ref: Type.String({ description: 'full name, such as `refs/heads/main`' }),
    url: Type.String(),
    object: reference(GitObjectSchema),
  },
  { $id: 'Reference' },
);

export const CreateRefBody = Type.Object(
  {
    ref: Type.String({ description: 'full name, such as `refs/heads/topic`' }),
    sha: Type.String({ description: 'id of an object in the repository' }),
  },
  { $id: 'CreateGitRefOption' },
);

export const MoveRefBody = Type.Object(
  {
    sha: Type.String({ description: 'id of an object in the repository' }),
    force: Type.Optional(
      Type.Boolean({ description: 'whether the ref may leave commits out that it reaches now' }),
    ),
  },
  { $id: 'UpdateGitRefOption' },
);
