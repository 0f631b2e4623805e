import { Type } from 'typebox';
import { CommitQuery } from '../../../code/git-data/schema.ts';
import { PagingQuery } from '../../../http/paging.ts';

export const ChangedFileSchema = Type.Object(
  {
    filename: Type.String(),
    previous_filename: Type.Optional(Type.String({ description: 'of a renamed file' })),
    status: Type.String({ description: '`added`, `changed`, `deleted` or `renamed`' }),
    additions: Type.Integer({
      description: 'lines; 0 for a binary file, and where there is too much to count',
    }),
    deletions: Type.Integer(),
    changes: Type.Integer({ description: 'lines that were added or deleted' }),
    html_url: Type.String(),
    contents_url: Type.String(),
    raw_url: Type.String(),
  },
  { $id: 'ChangedFile' },
);

export const PullCommitsQuery = { ...PagingQuery, ...CommitQuery };

export const PullFilesQuery = {
  ...PagingQuery,
  'skip-to': Type.Optional(Type.String()),
  whitespace: Type.Optional(Type.String()),
};

export const PullTextQuery = {
  binary: Type.Optional(Type.Boolean()),
};
