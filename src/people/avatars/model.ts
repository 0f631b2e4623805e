import { createHash } from 'node:crypto';
import type { Tx } from '../../base/database/database.ts';
import { uuidKey } from '../../storage/keys.ts';

/** What has a picture. */
export type AvatarSubject = { readonly accountId: number } | { readonly repositoryId: number };

/** The row of a stored picture. */
export interface AvatarFile {
  readonly id: number;
  /** names the object */
  readonly uuid: string;
}

/** A picture that is to be stored, with what depends on its subject. */
export interface AvatarChange {
  readonly subject: AvatarSubject;
  /** Authorizes the change, and locks the subject. Returns the name of its present picture; '' for none. */
  readonly authorize: (tx: Tx) => Promise<string>;
  /** Writes the name of the new picture to the row of the subject, and announces the change. */
  readonly write: (tx: Tx, avatar: string) => Promise<void>;
}

/** Names of pictures in their addresses. */
const NAME = /^[0-9a-f]{64}$/;

export function isAvatarName(text: string): boolean {
  return NAME.test(text);
}

/** First part of the keys of pictures. */
export const AVATAR_FOLDER = 'avatars';

/** Returns the key of the object with the bytes of a picture. */
export function keyOf(file: { readonly uuid: string }): string {
  return uuidKey(AVATAR_FOLDER, file);
}

/**
 * Returns the name of a picture: a hash of its bytes and of whose it is, so that two subjects with the same picture have
 * different names, and the name changes with the picture.
 */
export function avatarName(subject: AvatarSubject, png: Uint8Array): string {
  const whose =
    'accountId' in subject ? `account ${subject.accountId}` : `repository ${subject.repositoryId}`;
  return createHash('sha256').update(`${whose}\n`).update(png).digest('hex');
}
