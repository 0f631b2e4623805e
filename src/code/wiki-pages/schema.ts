import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { CommitUser } from '../contents/schema.ts';

export const WikiPageBody = Type.Object(
  {
    title: Type.Optional(
      Type.String({ description: 'of a page that exists: absent or empty for no change' }),
    ),
    content_base64: Type.Optional(
      Type.String({ description: 'standard base64; of a page that exists: absent for no change' }),
    ),
    message: Type.Optional(Type.String({ description: 'of the commit' })),
  },
  { $id: 'CreateWikiPageOptions' },
);

export const RevisionsQuery = { page: Type.Optional(Type.Integer()) };

export const WikiCommitSchema = Type.Object(
  {
    sha: Type.String(),
    author: CommitUser,
    commiter: CommitUser,
    message: Type.String(),
  },
  { $id: 'WikiCommit' },
);

const described = {
  title: Type.String(),
  html_url: Type.String(),
  sub_url: Type.String({ description: 'the last part of the address of the page, as it is in a URL' }),
  last_commit: reference(WikiCommitSchema),
};

export const WikiPageMetaDataSchema = Type.Object(described, { $id: 'WikiPageMetaData' });

export const WikiPageSchema = Type.Object(
  {
    ...described,
    content_base64: Type.String(),
    commit_count: Type.Integer(),
    sidebar: Type.String({ description: 'standard base64' }),
    footer: Type.String({ description: 'standard base64' }),
  },
  { $id: 'WikiPage' },
);

export const WikiCommitListSchema = Type.Object(
  { commits: Type.Array(reference(WikiCommitSchema)), count: Type.Integer() },
  { $id: 'WikiCommitList' },
);
