import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, joined, raw, values } from '../../../base/database/fragment.ts';
import { query, queryCount, queryFirst } from '../../../base/database/query.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { uuidRows } from '../../../storage/owned-files/store.ts';
import { ISSUE_LIMITS } from '../../issues/limits.ts';
import type { AttachmentContent } from '../../issues/models/attachments.ts';
import {
  ASSET_FOLDER,
  type Asset,
  type AssetFile,
  type FoundAsset,
  type LinkedAsset,
} from '../models/assets.ts';

/** Rows that one statement links. */
const ROWS_AT_ONCE = ISSUE_LIMITS.importedRowsAtOnce;

type AssetRow = {
  id: number;
  uuid: string;
  name: string;
  external_url: string;
  bytes: number;
  downloads: number;
  created_at: number;
};

const COLUMNS = raw('a.id, a.uuid, a.name, a.external_url, a.bytes, a.downloads, a.created_at');

function assetOf(row: AssetRow): Asset {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    sizeBytes: row.bytes,
    downloads: row.downloads,
    externalUrl: row.external_url === '' ? null : row.external_url,
    createdAt: row.created_at,
  };
}

/** Lists the assets of several releases, by the id of the release. The oldest come first. */
export async function listAssetsOf(
  db: Db,
  releaseIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Asset[]>> {
  if (releaseIds.length === 0) return new Map();
  const rows = await query<AssetRow & { release_id: number }>(
    db,
    fragment`select ${COLUMNS}, a.release_id from release_assets a where a.release_id in (${values(releaseIds)})
      order by a.id`,
  );
  const byRelease = Map.groupBy(rows, (row) => row.release_id);
  return new Map([...byRelease].map(([id, found]) => [id, found.map(assetOf)]));
}

export async function listAssets(db: Db, releaseId: number): Promise<readonly Asset[]> {
  return (await listAssetsOf(db, [releaseId])).get(releaseId) ?? [];
}

export async function findAsset(db: Db, releaseId: number, id: number): Promise<Asset | undefined> {
  const row = await queryFirst<AssetRow>(
    db,
    fragment`select ${COLUMNS} from release_assets a where a.id = ${id} and a.release_id = ${releaseId}`,
  );
  return row && assetOf(row);
}

/** Finds an asset by its name, for a download. */
export async function findAssetByName(
  db: Db,
  releaseId: number,
  name: string,
): Promise<FoundAsset | undefined> {
  const row = await queryFirst<AssetRow & { type: string; sha256: string }>(
    db,
    fragment`select ${COLUMNS}, a.type, a.sha256 from release_assets a
      where a.release_id = ${releaseId} and a.name = ${name}`,
  );
  if (row === undefined) return undefined;
  const { type, sha256, bytes: sizeBytes } = row;
  return { asset: assetOf(row), content: { type, sha256, sizeBytes } };
}

/** An asset with what its address has. */
interface AssetAddress {
  readonly repositoryId: RepositoryId;
  readonly tag: string;
  readonly isDraft: boolean;
  readonly name: string;
}

/** Finds an asset by its random id. */
export async function findAssetAddress(db: Db, uuid: string): Promise<AssetAddress | undefined> {
  const row = await queryFirst<{ repository_id: number; tag: string; is_draft: number; name: string }>(
    db,
    fragment`select r.repository_id, r.tag, r.is_draft, a.name from release_assets a
      join releases r on r.id = a.release_id where a.uuid = ${uuid}`,
  );
  if (row === undefined) return undefined;
  const { repository_id: repositoryId, tag, is_draft, name } = row;
  return { repositoryId, tag, isDraft: is_draft === 1, name };
}

export async function hasAssetNamed(db: Db, releaseId: number, name: string): Promise<boolean> {
  return (await findAssetByName(db, releaseId, name)) !== undefined;
}

export function countAssets(db: Db, releaseId: number): Promise<number> {
  return queryCount(db, fragment`release_assets a where a.release_id = ${releaseId}`);
}

const UNLINKED = {
  release_id: null,
  repository_id: null,
  name: '',
  external_url: '',
  type: '',
  sha256: '',
  bytes: 0,
  downloads: 0,
  is_doomed: 0,
  created_at: 0,
} as const;

/**
 * Writes the row of a file whose bytes are about to arrive.
 *
 * @param accountId of the uploader; null: an import
 */
export async function reserveAsset(tx: Tx, accountId: number | null, collectAt: number): Promise<AssetFile> {
  return tx
    .insertInto('release_assets')
    .values({ ...UNLINKED, uuid: randomUUID(), account_id: accountId, collect_at: collectAt })
    .returning(['id', 'uuid'])
    .executeTakeFirstOrThrow();
}

/** Links a file whose bytes are stored to its release. @returns false if the file is doomed or deleted */
export async function linkAsset(
  tx: Tx,
  id: number,
  { releaseId, repositoryId, name, content, at }: LinkedAsset,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('release_assets')
    .set({
      release_id: releaseId,
      repository_id: repositoryId,
      name,
      type: content.type,
      sha256: content.sha256,
      bytes: content.sizeBytes,
      // The file is due for deletion as soon as it is detached.
      collect_at: 0,
      created_at: at,
    })
    .where('id', '=', id)
    .where('is_doomed', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Adds an asset on another server. It has no file here. */
export async function insertExternalAsset(
  tx: Tx,
  asset: {
    readonly releaseId: number;
    readonly repositoryId: RepositoryId;
    readonly accountId: number | null;
    readonly name: string;
    readonly url: string;
    readonly at: number;
  },
): Promise<Asset> {
  const row = await tx
    .insertInto('release_assets')
    .values({
      ...UNLINKED,
      uuid: randomUUID(),
      release_id: asset.releaseId,
      repository_id: asset.repositoryId,
      account_id: asset.accountId,
      name: asset.name,
      external_url: asset.url,
      collect_at: 0,
      created_at: asset.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return assetOf(row);
}

/** Sets what is known of an asset before it has a release. */
export async function describeAsset(
  tx: Tx,
  id: number,
  asset: {
    readonly name: string;
    readonly at: number;
    readonly content: AttachmentContent;
    readonly url: string;
  },
): Promise<void> {
  const { name, at, content, url } = asset;
  await tx
    .updateTable('release_assets')
    .set({
      name,
      external_url: url,
      type: content.type,
      sha256: content.sha256,
      bytes: content.sizeBytes,
      created_at: at,
    })
    .where('id', '=', id)
    .execute();
}

/** Links assets to the releases of a new repository. @returns how many there were, without doomed and deleted ones */
export async function linkStagedAssets(
  tx: Tx,
  repositoryId: RepositoryId,
  assets: readonly { readonly id: number; readonly releaseId: number }[],
): Promise<number> {
  let linked = 0;
  for (let start = 0; start < assets.length; start += ROWS_AT_ONCE) {
    const some = assets.slice(start, start + ROWS_AT_ONCE);
    const cases = some.map(({ id, releaseId }) => fragment`when ${id} then cast(${releaseId} as bigint)`);
    const rows = await query<{ id: number }>(
      tx,
      fragment`update release_assets set repository_id = ${repositoryId}, collect_at = 0,
          release_id = case id ${joined(cases, ' ')} end
        where id in (${values(some.map(({ id }) => id))}) and is_doomed = 0 and release_id is null
        returning id`,
    );
    linked += rows.length;
  }
  return linked;
}

/** Assets to detach: one, or all of a deleted release or repository. */
export type DetachedAssets =
  | { readonly id: number }
  | { readonly releaseId: number }
  | { readonly repositoryId: RepositoryId };

/** Detaches assets from their releases. @returns whether there were any */
export async function detachAssets(tx: Tx, from: DetachedAssets): Promise<boolean> {
  const rows = await query<{ id: number }>(
    tx,
    fragment`update release_assets set release_id = null where ${detached(from)} and release_id is not null
      returning id`,
  );
  return rows.length > 0;
}

function detached(from: DetachedAssets): Fragment {
  if ('id' in from) return fragment`id = ${from.id}`;
  if ('releaseId' in from) return fragment`release_id = ${from.releaseId}`;
  return fragment`repository_id = ${from.repositoryId}`;
}

export async function setAsset(
  tx: Tx,
  id: number,
  { name, externalUrl }: Pick<Asset, 'name' | 'externalUrl'>,
): Promise<void> {
  await query(
    tx,
    fragment`update release_assets set name = ${name}, external_url = ${externalUrl ?? ''} where id = ${id}`,
  );
}

export async function addAssetDownloads(tx: Tx, id: number, count: number): Promise<void> {
  await query(tx, fragment`update release_assets set downloads = downloads + ${count} where id = ${id}`);
}

/** Selects the bytes of the assets in all repositories of an owner. */
export function sumOfAssets(ownerId: number): Fragment {
  return fragment`select cast(coalesce(sum(a.bytes), 0) as bigint) from release_assets a
    join repositories r on r.id = a.repository_id where r.owner_id = ${ownerId} and a.release_id is not null`;
}

/** A file is linked while it has a release. */
export const ASSET_ROWS = uuidRows({
  jobs: { collect: 'release-assets.collect', sweep: 'release-assets.sweep' },
  table: raw('release_assets'),
  isUnlinked: raw('release_id is null'),
  folder: ASSET_FOLDER,
});
