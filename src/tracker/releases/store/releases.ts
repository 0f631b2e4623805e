import type { Selectable } from 'kysely';
import { accountVisible } from '../../../api/access/store/account.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Page, Paging } from '../../../base/core/paging.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, flag, fragment, raw } from '../../../base/database/fragment.ts';
import { listed, query, queryCount, queryFirst, queryPage } from '../../../base/database/query.ts';
import type { ReleasesTable } from '../../../base/database/schema/releases.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { USER_COLUMNS, type UserColumns, userOfColumns } from '../../../people/accounts/columns.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import { ISSUE_LIMITS } from '../../issues/limits.ts';
import {
  type ReleaseFields,
  type ReleaseFilter,
  type ReleaseKey,
  type StoredRelease,
  tagRef,
} from '../model.ts';

type ReleaseRow = Selectable<ReleasesTable>;
type AuthoredRow = ReleaseRow & { readonly shows_author: number } & Partial<UserColumns>;

/** A release without its repository and its assets. */
export interface AuthoredRelease extends StoredRelease {
  readonly author: ShownAccount | null;
}

function releaseOf(row: ReleaseRow): StoredRelease {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    authorId: row.author_id,
    tag: row.tag,
    target: row.target,
    title: row.title,
    body: row.body,
    isDraft: row.is_draft === 1,
    isPrerelease: row.is_prerelease === 1,
    hidesArchives: row.hides_archives === 1,
    zipDownloads: row.zip_downloads,
    tarGzDownloads: row.tar_gz_downloads,
    createdAt: row.created_at,
    publishedAt: row.published_at,
  };
}

function authoredOf(row: AuthoredRow): AuthoredRelease {
  const author = hasAuthor(row) && row.shows_author === 1 ? userOfColumns(row) : null;
  return { ...releaseOf(row), author };
}

function hasAuthor(row: Partial<UserColumns>): row is UserColumns {
  return typeof row.owner_id === 'number';
}

function columnsFor(viewer: Viewer): Fragment {
  return fragment`r.*, ${accountVisible(viewer)} as shows_author, ${USER_COLUMNS}`;
}

const WITH_AUTHOR = raw('releases r left join accounts o on o.id = r.author_id');
const NEWEST_FIRST = raw('r.published_at desc, r.id desc');

/** Lists releases, the newest first. */
export function listReleases(
  db: Db,
  viewer: Viewer,
  { repositoryId, filter }: { readonly repositoryId: RepositoryId; readonly filter: ReleaseFilter },
  paging: Paging,
): Promise<Page<AuthoredRelease>> {
  const { isDraft, isPrerelease, text } = filter;
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const isWanted = (column: string, wanted: boolean | undefined) =>
    wanted === undefined ? raw('1 = 1') : fragment`${raw(column)} = ${flag(wanted)}`;
  const list = {
    select: columnsFor(viewer),
    from: fragment`${WITH_AUTHOR} where r.repository_id = ${repositoryId}
      and ${isWanted('r.is_draft', isDraft)} and ${isWanted('r.is_prerelease', isPrerelease)}
      and (${flag(text === '')} = 1 or lower(r.title) like ${pattern} escape '\\'
        or lower(r.tag) like ${pattern} escape '\\')`,
    orderBy: NEWEST_FIRST,
  };
  return queryPage(db, list, paging, authoredOf);
}

function isKey(key: ReleaseKey): Fragment {
  return 'id' in key ? fragment`r.id = ${key.id}` : fragment`r.tag = ${key.tag}`;
}

/** Finds a release for a viewer, also a draft. */
export async function findShownRelease(
  db: Db,
  viewer: Viewer,
  repositoryId: RepositoryId,
  key: ReleaseKey,
): Promise<AuthoredRelease | undefined> {
  const row = await queryFirst<AuthoredRow>(
    db,
    fragment`select ${columnsFor(viewer)} from ${WITH_AUTHOR}
      where r.repository_id = ${repositoryId} and ${isKey(key)}`,
  );
  return row && authoredOf(row);
}

/** Finds the newest release that is neither a draft nor a prerelease. */
export async function findLatestRelease(
  db: Db,
  viewer: Viewer,
  repositoryId: RepositoryId,
): Promise<AuthoredRelease | undefined> {
  const row = await queryFirst<AuthoredRow>(
    db,
    fragment`select ${columnsFor(viewer)} from ${WITH_AUTHOR}
      where r.repository_id = ${repositoryId} and r.is_draft = 0 and r.is_prerelease = 0
      order by ${NEWEST_FIRST} limit 1`,
  );
  return row && authoredOf(row);
}

/** Finds a release, also a draft. */
export async function findRelease(
  db: Db,
  repositoryId: RepositoryId,
  key: ReleaseKey,
): Promise<StoredRelease | undefined> {
  const row = await queryFirst<ReleaseRow>(
    db,
    fragment`select r.* from releases r where r.repository_id = ${repositoryId} and ${isKey(key)}`,
  );
  return row && releaseOf(row);
}

/** Lists the published releases of some tags. */
export async function listPublishedOf(
  db: Db,
  repositoryId: RepositoryId,
  tags: readonly string[],
): Promise<readonly StoredRelease[]> {
  const rows = await query<ReleaseRow>(
    db,
    fragment`select r.* from releases r where r.repository_id = ${repositoryId} and r.is_draft = 0
      and r.tag in (${listed(db, 'tag', tags)}) order by r.id`,
  );
  return rows.map(releaseOf);
}

export function countReleases(db: Db, repositoryId: RepositoryId): Promise<number> {
  return queryCount(db, fragment`releases r where r.repository_id = ${repositoryId}`);
}

/** Whether a tag exists. Lock the repository first, so that this stays true until the transaction ends. */
export async function tagExists(tx: Tx, repositoryId: RepositoryId, tag: string): Promise<boolean> {
  const row = await queryFirst(
    tx,
    fragment`select 1 as found from git_refs
      where repository_id = ${repositoryId} and name = ${tagRef(tag)} and oid is not null`,
  );
  return row !== undefined;
}

function columnsOf(fields: ReleaseFields) {
  return {
    tag: fields.tag,
    target: fields.target,
    title: fields.title,
    body: fields.body,
    is_draft: flag(fields.isDraft),
    is_prerelease: flag(fields.isPrerelease),
    hides_archives: flag(fields.hidesArchives),
  };
}

/** @throws a unique violation if the tag has a release */
export async function insertRelease(
  tx: Tx,
  release: ReleaseFields & Pick<StoredRelease, 'repositoryId' | 'authorId' | 'createdAt' | 'publishedAt'>,
): Promise<StoredRelease> {
  const row = await tx
    .insertInto('releases')
    .values({
      ...columnsOf(release),
      repository_id: release.repositoryId,
      author_id: release.authorId,
      zip_downloads: 0,
      tar_gz_downloads: 0,
      created_at: release.createdAt,
      published_at: release.publishedAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return releaseOf(row);
}

/**
 * Inserts the releases of a new repository. Their tags differ.
 *
 * @returns their ids by their tags
 */
export async function insertReleases(
  tx: Tx,
  repositoryId: RepositoryId,
  releases: readonly (ReleaseFields & Pick<StoredRelease, 'authorId' | 'createdAt' | 'publishedAt'>)[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  const { importedRowsAtOnce } = ISSUE_LIMITS;
  for (let start = 0; start < releases.length; start += importedRowsAtOnce) {
    const some = releases.slice(start, start + importedRowsAtOnce).map((release) => ({
      ...columnsOf(release),
      repository_id: repositoryId,
      author_id: release.authorId,
      zip_downloads: 0,
      tar_gz_downloads: 0,
      created_at: release.createdAt,
      published_at: release.publishedAt,
    }));
    const rows = await tx.insertInto('releases').values(some).returning(['id', 'tag']).execute();
    for (const { id, tag } of rows) ids.set(tag, id);
  }
  return ids;
}

export async function setRelease(
  tx: Tx,
  id: number,
  fields: ReleaseFields & Pick<StoredRelease, 'publishedAt'>,
): Promise<void> {
  await tx
    .updateTable('releases')
    .set({ ...columnsOf(fields), published_at: fields.publishedAt })
    .where('id', '=', id)
    .execute();
}

export async function deleteRelease(tx: Tx, id: number): Promise<void> {
  await query(tx, fragment`delete from releases where id = ${id}`);
}

/** The archive of a tag. */
export interface TagArchive {
  readonly repositoryId: RepositoryId;
  readonly tag: string;
  readonly format: 'zip' | 'tar.gz';
}

/** Adds to the downloads of the archives of a tag, if it has a release. */
export async function addArchiveDownloads(
  tx: Tx,
  { repositoryId, tag, format }: TagArchive,
  count: number,
): Promise<void> {
  const column = raw(format === 'zip' ? 'zip_downloads' : 'tar_gz_downloads');
  await query(
    tx,
    fragment`update releases set ${column} = ${column} + ${count}
      where repository_id = ${repositoryId} and tag = ${tag}`,
  );
}
