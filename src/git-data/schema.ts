import { Type } from 'typebox';
import { UserSchema } from '../accounts/schema.ts';
import { CommitMeta, CommitUser, Verification } from '../contents/schema.ts';
import { reference } from '../http/shapes.ts';

export const BlobSchema = Type.Object(
  {
    content: Type.String({
      description: "standard base64; '' above the limit that the settings of the API have",
    }),
    encoding: Type.String(),
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
    truncated: Type.Boolean(),
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
    verification: Type.Union([reference(Verification), Type.Null()]),
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

export const CommitSchema = Type.Object(
  {
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
  },
  { $id: 'Commit' },
);

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
