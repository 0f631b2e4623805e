import { Type } from 'typebox';
import { CommitMeta, CommitUser, Verification } from '../contents/schema.ts';
import { reference } from '../http/shapes.ts';

const DownloadCounts = Type.Object(
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
    verification: reference(Verification),
    archive_download_count: reference(DownloadCounts),
  },
  { $id: 'AnnotatedTag' },
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
