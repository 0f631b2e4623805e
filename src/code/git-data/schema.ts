import { Type } from 'typebox';
import { withNulls } from '../../http/bodies/input.ts';
import { Nullable, reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';
import { CommitMeta, CommitUser, commitFields } from '../contents/schema.ts';
import { VerificationSchema } from '../verification/schema.ts';

export const BlobSchema = Type.Object(
  {
    content: Nullable(
      Type.String({ description: 'standard base64; null above the limit that the settings of the API have' }),
    ),
    encoding: Nullable(Type.String({ description: 'null if there is no content' })),
    url: Type.String(),
    sha: Type.String(),
    size: Type.Integer(),
  },
  { $id: 'GitBlob' },
);

const EntrySchema = Type.Object(
  {
    path: Type.String(),
    mode: Type.String(),
    type: Type.String({ description: '`blob`, `tree` or `commit`' }),
    size: Type.Integer(),
    sha: Type.String(),
    url: Type.String({ description: "'' for a submodule" }),
  },
  { $id: 'GitEntry' },
);

export const TreeSchema = Type.Object(
  {
    sha: Type.String(),
    url: Type.String(),
    tree: Type.Array(reference(EntrySchema)),
    truncated: Type.Boolean({ description: 'whether entries follow those of this page' }),
    page: Type.Integer(),
    total_count: Type.Integer(),
  },
  { $id: 'GitTreeResponse' },
);

const RepoCommit = Type.Object(
  {
    url: Type.String(),
    author: CommitUser,
    committer: CommitUser,
    message: Type.String(),
    tree: CommitMeta,
    verification: Type.Union([reference(VerificationSchema), Type.Null()]),
  },
  { $id: 'RepoCommit' },
);

export const AffectedFile = Type.Object(
  { filename: Type.String(), status: Type.String({ description: '`added`, `modified` or `removed`' }) },
  { $id: 'CommitAffectedFiles' },
);

const Stats = Type.Object(
  { total: Type.Integer(), additions: Type.Integer(), deletions: Type.Integer() },
  { $id: 'CommitStats' },
);

const detailFields = {
  url: Type.String(),
  sha: Type.String(),
  created: Type.String({ format: 'date-time' }),
  html_url: Type.String(),
  commit: reference(RepoCommit),
  author: Type.Union([reference(UserSchema), Type.Null()]),
  committer: Type.Union([reference(UserSchema), Type.Null()]),
  parents: Type.Array(CommitMeta),
  files: Type.Union([Type.Array(reference(AffectedFile)), Type.Null()]),
  stats: Type.Union([reference(Stats), Type.Null()]),
};

export const CommitSchema = Type.Object(detailFields, { $id: 'Commit' });

/** Clients that build on a commit read its tree here, where other servers have it, too. */
export const CommitWithTreeSchema = Type.Object(
  { ...detailFields, message: Type.String(), tree: CommitMeta },
  { $id: 'CommitWithTree' },
);

export const NewCommitSchema = Type.Object(
  { ...commitFields, verification: reference(VerificationSchema) },
  { $id: 'GitCommit' },
);

export const CreateBlobBody = Type.Object(
  {
    content: Type.String(),
    encoding: Type.Optional(
      Type.Union([Type.Literal('utf-8'), Type.Literal('base64')], {
        description: 'how `content` is written; `utf-8` if absent',
      }),
    ),
  },
  { $id: 'CreateGitBlobOption' },
);

export const CreatedBlobSchema = Type.Object(
  { sha: Type.String(), url: Type.String() },
  { $id: 'CreatedGitBlob' },
);

const Mode = Type.Union([
  Type.Literal('100644'),
  Type.Literal('100755'),
  Type.Literal('120000'),
  Type.Literal('160000'),
  Type.Literal('040000'),
]);

const NewEntrySchema = Type.Object({
  path: Type.String({ description: 'path from the root of the tree' }),
  mode: Type.Optional(Mode),
  type: Type.Optional(Type.String({ description: '`blob`, `tree` or `commit`, as `mode` says it' })),
  sha: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'null removes what is at the path' }),
  ),
  content: Type.Optional(Type.String({ description: 'text of a new blob, instead of `sha`' })),
});

export const CreateTreeBody = withNulls(
  Type.Object(
    {
      base_tree: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'id of the tree, or of the commit with the tree, to start from',
        }),
      ),
      tree: Type.Array(NewEntrySchema),
    },
    { $id: 'CreateGitTreeOption' },
  ),
);

export const PersonSchema = Type.Object({
  name: Type.String(),
  email: Type.String(),
  date: Type.Optional(Type.String({ description: 'as RFC 3339 has it; now if absent' })),
});

export const CreateCommitBody = Type.Object(
  {
    message: Type.String(),
    tree: Type.String({ description: 'id of a tree' }),
    parents: Type.Optional(Type.Array(Type.String(), { description: 'ids of commits' })),
    author: Type.Optional(PersonSchema),
    committer: Type.Optional(PersonSchema),
    signature: Type.Optional(
      Type.String({ description: 'armored signature of the commit without this field' }),
    ),
  },
  { $id: 'CreateGitCommitOption' },
);

export const BlobsQuery = {
  shas: Type.Optional(Type.String()),
};

export const TreeQuery = {
  recursive: Type.Optional(Type.Boolean()),
  page: Type.Optional(Type.Integer()),
  per_page: Type.Optional(Type.Integer()),
};

export const CommitQuery = {
  stat: Type.Optional(Type.Boolean()),
  files: Type.Optional(Type.Boolean()),
  verification: Type.Optional(Type.Boolean()),
};
