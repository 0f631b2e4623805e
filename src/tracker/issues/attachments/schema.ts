import { Type } from 'typebox';

export const AttachmentSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    size: Type.Integer({ description: 'bytes' }),
    download_count: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    uuid: Type.String(),
    browser_download_url: Type.String(),
    type: Type.Union([Type.Literal('attachment'), Type.Literal('external')], {
      description: '`external`: on another server',
    }),
  },
  { $id: 'Attachment' },
);

export const EditAttachmentBody = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'empty: unchanged' })),
    browser_download_url: Type.Optional(
      Type.String({ description: 'changes only for an external asset of a release' }),
    ),
  },
  { $id: 'EditAttachmentOptions' },
);
