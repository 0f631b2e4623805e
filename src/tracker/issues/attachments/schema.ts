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
    type: Type.Literal('attachment'),
  },
  { $id: 'Attachment' },
);

export const EditAttachmentBody = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'empty: unchanged' })),
    browser_download_url: Type.Optional(Type.String({ description: 'only as it is' })),
  },
  { $id: 'EditAttachmentOptions' },
);
