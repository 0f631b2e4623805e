import type { Static } from 'typebox';
import { answerOf } from '../../../api/operations/answers.ts';
import { encodePath } from '../../../code/contents/present.ts';
import type { Repository } from '../../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import type { Addresses } from '../../../http/app.ts';
import { wireTime } from '../../../http/time.ts';
import { AttachmentSchema } from '../../issues/attachments/schema.ts';
import type { Asset } from '../models/assets.ts';

interface AssetPlace {
  readonly repository: Pick<Repository, 'owner' | 'name'>;
  /** of the release */
  readonly tag: string;
}

/** An asset, with the names that are in its address. */
export interface PlacedAsset {
  readonly asset: Asset;
  readonly release: AssetPlace;
}

/** Returns the address of the bytes of an asset. */
export function assetUrl(
  { name, externalUrl }: Pick<Asset, 'name' | 'externalUrl'>,
  { repository, tag }: AssetPlace,
  addresses: Addresses,
): string {
  if (externalUrl !== null) return externalUrl;
  const { htmlUrl } = repositoryAddresses(repository, addresses);
  return `${htmlUrl}/releases/download/${encodePath(tag)}/${encodeURIComponent(name)}`;
}

export function presentAsset(
  asset: Asset,
  release: AssetPlace,
  addresses: Addresses,
): Static<typeof AttachmentSchema> {
  return {
    id: asset.id,
    name: asset.name,
    size: asset.sizeBytes,
    download_count: asset.downloads,
    created_at: wireTime(asset.createdAt),
    uuid: asset.uuid,
    browser_download_url: assetUrl(asset, release, addresses),
    type: asset.externalUrl === null ? 'attachment' : 'external',
  };
}

export const AssetAnswer = answerOf(AttachmentSchema, ({ asset, release }: PlacedAsset, _viewer, addresses) =>
  presentAsset(asset, release, addresses),
);
