import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { CommitMeta, CommitUser } from '../contents/schema.ts';
import { PersonSchema } from '../git-data/schema.ts';
import { VerificationSchema } from '../verification/schema.ts';

/** Downloads of the archives of a tag. */
export const DownloadCounts = Type.Object(
  { zip: Type.Integer(), tar_gz: Type.Integer() },
  { $id: 'TagArchiveDownloadCount' },
);

export const TagSchema = Type.Object(
  {
    name: Type.String(),
    message: Type.String(),
    id: Type.String({ description: 'the tag object of an annotated tag; otherwise the commit' }),
    commit: CommitMeta,
    zipball_url: Type.String(),
    tarball_url: Type.String(),
    archive_download_count: reference(DownloadCounts),
  },
  { $id: 'Tag' },
);

const TaggedObject = Type.Object(
  { type: Type.String(), url: Type.String(), sha: Type.String() },
  { $id: 'AnnotatedTagObject' },
);

export const AnnotatedTagSchema = Type.Object(
  {
    tag: Type.String(),
    sha: Type.String(),
    url: Type.String(),
    message: Type.String(),
    tagger: CommitUser,
    object: reference(TaggedObject),
    verification: reference(VerificationSchema),
    archive_download_count: reference(DownloadCounts),
  },
  { $id: 'AnnotatedTag' },
);

export const CreateTagObjectBody = Type.Object(
  {
    tag: Type.String({ description: 'name of the tag' }),
    message: Type.String(),
    object: Type.String({ description: 'id of the object to tag' }),
    type: Type.Optional(
      Type.Union([Type.Literal('commit'), Type.Literal('tree'), Type.Literal('blob'), Type.Literal('tag')], {
        description: 'of the object; `commit` if absent',
      }),
    ),
    tagger: Type.Optional(PersonSchema),
  },
  { $id: 'CreateGitTagOption' },
);

export const CreateTagBody = Type.Object(
  {
    tag_name: Type.String(),
    message: Type.Optional(Type.String({ description: 'makes an annotated tag' })),
    target: Type.Optional(
      Type.String({ description: 'branch, tag or commit; the default branch if absent' }),
    ),
  },
  { $id: 'CreateTagOption' },
);
