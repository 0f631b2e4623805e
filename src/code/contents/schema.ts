import { Type } from 'typebox';
import { UNESCAPED } from '../../http/serializers.ts';
import { Nullable, reference } from '../../http/shapes.ts';
import { VerificationSchema } from '../verification/schema.ts';

const Time = Type.String({ format: 'date-time' });

const IdentitySchema = Type.Object({
  name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
});
const DatesSchema = Type.Object({
  author: Type.Optional(Type.String()),
  committer: Type.Optional(Type.String()),
});

const BranchToChange = Type.Optional(
  Type.String({
    description:
      'absent: the default branch. People whom the author of a pull request lets edit its head may name only that branch',
  }),
);

const changeOptions = {
  message: Type.Optional(Type.String()),
  branch: BranchToChange,
  new_branch: Type.Optional(Type.String()),
  force_overwrite_new_branch: Type.Optional(Type.Boolean()),
  author: Type.Optional(IdentitySchema),
  committer: Type.Optional(IdentitySchema),
  dates: Type.Optional(DatesSchema),
  signoff: Type.Optional(Type.Boolean()),
};

export const CreateFileBody = Type.Object(
  { content: Type.String({ description: 'standard base64' }), ...changeOptions },
  { $id: 'CreateFileOptions' },
);
export const UpdateFileBody = Type.Object(
  {
    content: Type.String({ description: 'standard base64' }),
    sha: Type.Optional(
      Type.String({
        description: 'blob id of the file as it is now; without it, the file must not exist yet',
      }),
    ),
    from_path: Type.Optional(Type.String()),
    ...changeOptions,
  },
  { $id: 'UpdateFileOptions' },
);
const ChangeFileOperation = Type.Object({
  operation: Type.Union([
    Type.Literal('create'),
    Type.Literal('update'),
    Type.Literal('upload'),
    Type.Literal('rename'),
    Type.Literal('delete'),
  ]),
  path: Type.String(),
  content: Type.Optional(
    Type.String({ description: 'standard base64; without it, a file that moves keeps its content' }),
  ),
  sha: Type.Optional(
    Type.String({ description: 'blob id of the file as it is now; update and delete need it' }),
  ),
  from_path: Type.Optional(
    Type.String({ description: 'for update and rename: path of the file as it is now' }),
  ),
});
export const ChangeFilesBody = Type.Object(
  { files: Type.Array(ChangeFileOperation), ...changeOptions },
  { $id: 'ChangeFilesOptions' },
);
export const PatchBody = Type.Object(
  {
    content: Type.String({
      description: 'patch in the form of `git diff` or `git format-patch`, as text or standard base64',
    }),
    sha: Type.Optional(
      Type.String({ description: 'accepted for compatibility: a patch names what it changes' }),
    ),
    from_path: Type.Optional(
      Type.String({ description: 'accepted for compatibility: a patch names the files that it moves' }),
    ),
    ...changeOptions,
  },
  { $id: 'ApplyDiffPatchFileOptions' },
);
/** `options.ts` requires `sha`: on this wire its absence is a 400, where in other bodies it is a 422. */
export const DeleteFileBody = Type.Object(
  { sha: Type.Optional(Type.String()), ...changeOptions },
  { $id: 'DeleteFileOptions' },
);
/** A DELETE without a body may have the same fields in its query. */
export const DeleteFileQuery = {
  sha: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  branch: BranchToChange,
  new_branch: Type.Optional(Type.String()),
  force_overwrite_new_branch: Type.Optional(Type.Boolean()),
  signoff: Type.Optional(Type.Boolean()),
};

const entryHead = { name: Type.String(), path: Type.String(), sha: Type.String() };
const entryRest = {
  type: Type.String(),
  size: Type.Integer(),
  encoding: Nullable(Type.String({ description: '`base64`; null if there is no content' })),
  content: Nullable(
    Type.String({
      description: 'standard base64; null in lists, and above the limit that the settings of the API have',
    }),
  ),
  target: Nullable(Type.String()),
  url: Type.String(),
  html_url: Nullable(Type.String()),
  git_url: Nullable(Type.String()),
  download_url: Nullable(Type.String()),
  submodule_git_url: Nullable(Type.String()),
  _links: Type.Object({ self: Type.String(), git: Nullable(Type.String()), html: Nullable(Type.String()) }),
};

export const ContentsSchema = Type.Object(
  { ...entryHead, last_commit_sha: Type.String(), last_commit_when: Time, ...entryRest },
  { $id: 'ContentsResponse' },
);

/** The same for the serializer: base64 has no character that JSON escapes. Looking for one takes a sixth of a large answer. */
export const UnescapedContentsSchema = Type.Object({
  ...ContentsSchema.properties,
  content: Nullable(Type.String({ format: UNESCAPED })),
});

/** An entry whose last commit and LFS object are there if they were asked for. */
export const ExtendedEntrySchema = Type.Object(
  {
    ...entryHead,
    last_commit_sha: Type.Optional(Type.String()),
    last_commit_when: Type.Optional(Time),
    last_committer_date: Type.Optional(Time),
    last_author_date: Type.Optional(Time),
    last_commit_message: Type.Optional(Type.String()),
    ...entryRest,
    lfs_oid: Type.Optional(Type.String()),
    lfs_size: Type.Optional(Type.Integer()),
  },
  { $id: 'ExtendedContentsResponse' },
);

export const ContentsExtSchema = Type.Object(
  {
    file_contents: Type.Optional(reference(ExtendedEntrySchema)),
    dir_contents: Type.Optional(Type.Array(reference(ExtendedEntrySchema))),
  },
  { $id: 'ContentsExtResponse' },
);

export const FilesBody = Type.Object(
  { files: Type.Array(Type.String(), { description: 'paths from the root of the repository' }) },
  { $id: 'GetFilesOptions' },
);

export const CommitUser = Type.Object({ name: Type.String(), email: Type.String(), date: Time });
export const CommitMeta = Type.Object({ url: Type.String(), sha: Type.String(), created: Time });

/** Fields of a commit in the answers to changes. */
export const commitFields = {
  url: Type.String(),
  sha: Type.String(),
  created: Time,
  html_url: Type.String(),
  author: CommitUser,
  committer: CommitUser,
  parents: Type.Array(CommitMeta),
  message: Type.String(),
  tree: CommitMeta,
};

const FileCommit = Type.Object(commitFields, { $id: 'FileCommitResponse' });

export const FileResponse = Type.Object(
  {
    content: reference(ContentsSchema),
    commit: reference(FileCommit),
    verification: reference(VerificationSchema),
  },
  { $id: 'FileResponse' },
);
export const FilesResponse = Type.Object(
  {
    files: Type.Array(Type.Union([reference(ContentsSchema), Type.Null()])),
    commit: reference(FileCommit),
    verification: reference(VerificationSchema),
  },
  { $id: 'FilesResponse' },
);
export const FileDeleteResponse = Type.Object(
  { content: Type.Null(), commit: reference(FileCommit), verification: reference(VerificationSchema) },
  { $id: 'FileDeleteResponse' },
);
