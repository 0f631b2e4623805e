import { uuidKey } from '../../../storage/keys.ts';

/** A file that a client has uploaded for an issue or a comment. */
export interface Attachment {
  readonly id: number;
  /** part of its address */
  readonly uuid: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly downloads: number;
  readonly createdAt: number;
}

/** The row of an attachment, which has no issue before all bytes have arrived. */
export type AttachmentFile = Pick<Attachment, 'id' | 'uuid'>;

/** The bytes of an attachment. */
export interface AttachmentContent {
  /** media type, found in the content */
  readonly type: string;
  /** hex */
  readonly sha256: string;
  readonly sizeBytes: number;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is the part of an address that names an attachment. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** First part of the keys of attachments. */
export const ATTACHMENT_FOLDER = 'attachments';

/** Returns the key of the object with the bytes of an attachment. */
export function keyOf(file: { readonly uuid: string }): string {
  return uuidKey(ATTACHMENT_FOLDER, file);
}
