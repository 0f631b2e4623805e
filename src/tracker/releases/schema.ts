import { Type } from 'typebox';
import { DownloadCounts } from '../../code/tags/schema.ts';
import { reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';
import { AttachmentSchema } from '../issues/attachments/schema.ts';

const Time = Type.String({ format: 'date-time' });

export const ReleaseSchema = Type.Object(
  {
    id: Type.Integer(),
    tag_name: Type.String(),
    target_commitish: Type.String(),
    name: Type.String(),
    body: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    tarball_url: Type.String({ description: 'empty if links to archives are hidden' }),
    zipball_url: Type.String({ description: 'empty if links to archives are hidden' }),
    hide_archive_links: Type.Boolean(),
    upload_url: Type.String(),
    draft: Type.Boolean(),
    prerelease: Type.Boolean(),
    created_at: Time,
    published_at: Time,
    author: reference(UserSchema),
    assets: Type.Array(reference(AttachmentSchema)),
    archive_download_count: reference(DownloadCounts),
  },
  { $id: 'Release' },
);

const options = {
  target_commitish: Type.Optional(
    Type.String({ description: 'branch, tag or commit at which a missing tag is created' }),
  ),
  name: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
  hide_archive_links: Type.Optional(Type.Boolean()),
};

export const CreateReleaseBody = Type.Object(
  { tag_name: Type.String(), ...options },
  { $id: 'CreateReleaseOption' },
);

/** Empty texts change nothing. */
export const EditReleaseBody = Type.Object(
  { tag_name: Type.Optional(Type.String()), ...options },
  { $id: 'EditReleaseOption' },
);

export const ReleasesQuery = {
  draft: Type.Optional(Type.Boolean()),
  'pre-release': Type.Optional(Type.Boolean()),
  q: Type.Optional(Type.String()),
};
