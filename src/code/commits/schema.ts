import { Type } from 'typebox';
import { PagingQuery } from '../../http/paging.ts';
import { reference } from '../../http/shapes.ts';
import { AffectedFile, CommitQuery, CommitSchema } from '../git-data/schema.ts';

export const CommitListSchema = Type.Array(reference(CommitSchema));

export const CompareSchema = Type.Object(
  {
    total_commits: Type.Integer({ description: 'number of commits that the head has and the base lacks' }),
    commits: CommitListSchema,
    files: Type.Array(reference(AffectedFile)),
  },
  { $id: 'Compare' },
);

export const CommitListQuery = {
  ...PagingQuery,
  ...CommitQuery,
  sha: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  not: Type.Optional(Type.String()),
  since: Type.Optional(Type.String({ format: 'date-time' })),
  until: Type.Optional(Type.String({ format: 'date-time' })),
};

export const CompareQuery = { ...PagingQuery, ...CommitQuery };
