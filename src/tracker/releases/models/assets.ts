import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { uuidKey } from '../../../storage/keys.ts';
import type { AttachmentContent } from '../../issues/models/attachments.ts';

/** A file of a release, here or on another server. */
export interface Asset {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** 0 for an asset on another server */
  readonly sizeBytes: number;
  readonly downloads: number;
  /** null: the file is here */
  readonly externalUrl: string | null;
  readonly createdAt: number;
}

/** The row of an asset, which has no release before all bytes have arrived. */
export type AssetFile = Pick<Asset, 'id' | 'uuid'>;

/** An asset, and the fields that its download needs. */
export interface FoundAsset {
  readonly asset: Asset;
  readonly content: AttachmentContent;
}

/** An asset to link to a release: its row is reserved, and its bytes are stored. */
export interface LinkedAsset {
  readonly releaseId: number;
  readonly repositoryId: RepositoryId;
  readonly name: string;
  readonly content: AttachmentContent;
  readonly at: number;
}

/** First part of the keys of assets. */
export const ASSET_FOLDER = 'release-assets';

/** Returns the key of the object with the bytes of an asset. */
export function keyOf(file: { readonly uuid: string }): string {
  return uuidKey(ASSET_FOLDER, file);
}
