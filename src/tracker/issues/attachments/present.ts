import type { Static } from 'typebox';
import { answerOf } from '../../../api/operations/answers.ts';
import type { Addresses } from '../../../http/app.ts';
import { wireTime } from '../../../http/time.ts';
import type { Attachment } from '../models/attachments.ts';
import { AttachmentSchema } from './schema.ts';

/** Returns the address of the bytes of an attachment, which stays when its issue or repository moves. */
export function attachmentUrl({ uuid }: Pick<Attachment, 'uuid'>, { baseUrl }: Addresses): string {
  return `${baseUrl}/attachments/${uuid}`;
}

export function presentAttachment(
  attachment: Attachment,
  addresses: Addresses,
): Static<typeof AttachmentSchema> {
  const { id, name, uuid, sizeBytes, downloads, createdAt } = attachment;
  return {
    id,
    name,
    size: sizeBytes,
    download_count: downloads,
    created_at: wireTime(createdAt),
    uuid,
    browser_download_url: attachmentUrl(attachment, addresses),
    type: 'attachment',
  };
}

export const AttachmentAnswer = answerOf(AttachmentSchema, (attachment: Attachment, _viewer, addresses) =>
  presentAttachment(attachment, addresses),
);
