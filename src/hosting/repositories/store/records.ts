import { sql } from 'kysely';
import { permissionsOf } from '../../../api/access/packing.ts';
import { packedPermissions, permissionJoin } from '../../../api/access/store/repository.ts';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { type Fragment, fragment, raw, values } from '../../../base/database/fragment.ts';
import { query } from '../../../base/database/query.ts';
import { BRANCHES } from '../../../git/format/ref-names.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import { OWNER_COLUMNS, type OwnerColumns, ownerOfColumns } from '../../../people/accounts/columns.ts';
import type { NewRepository, PermittedRepository, Repository, RepositoryPath } from '../model.ts';
import { columnsOfUnits, type RepositoryUnits, type UnitColumns, unitsOfColumns } from '../units.ts';
import { hasBranches } from './push-state.ts';
import { claimName } from './redirects.ts';
import { findTransfers } from './transfers.ts';

/** One row with `repositoryColumns`. */
export interface RepositoryColumns extends OwnerColumns, UnitColumns {
  id: number;
  name: string;
  description: string;
  website: string;
  is_private: number;
  is_template: number;
  is_mirror: number;
  is_empty: number;
  archived_at: number | null;
  size_bytes: number;
  wiki_id: number | null;
  parent_id: number | null;
  stars_count: number;
  watchers_count: number;
  forks_count: number;
  open_issues_count: number;
  open_pulls_count: number;
  releases_count: number;
  is_in_transfer: number;
  language: string;
  topics: string;
  avatar: string;
  original_url: string;
  mirror_interval_ms: number;
  mirror_updated_at: number | null;
  mirror_error: string;
  created_at: number;
  updated_at: number;
  head: string;
  object_format: 'sha1' | 'sha256';
  permissions: number;
}

const OF_REPOSITORY = raw(
  [
    'id, name, description, website, is_private, is_template, is_mirror, is_empty, archived_at, size_bytes, wiki_id, parent_id',
    'issues, wiki, has_pulls, has_projects, has_releases, unit_settings',
    'stars_count, watchers_count, forks_count, open_issues_count, open_pulls_count, releases_count',
    'is_in_transfer, language, topics, avatar, created_at, updated_at',
    'original_url, mirror_interval_ms, mirror_updated_at, mirror_error',
  ]
    .flatMap((columns) => columns.split(', '))
    .map((column) => `r.${column}`)
    .join(', '),
);

/** Columns for `permittedRepositoriesOf`, from `accounts o` and `repositoryJoins`. */
export function repositoryColumns(viewer: Viewer): Fragment {
  return fragment`${OF_REPOSITORY}, g.head, g.object_format, ${OWNER_COLUMNS},
    ${packedPermissions(viewer)} as permissions`;
}

export function repositoryJoins(viewer: Viewer): Fragment {
  return fragment`join repositories r on r.owner_id = o.id
  join git_repositories g on g.id = r.id
  ${permissionJoin(viewer)}`;
}

function findRows(db: Db, viewer: Viewer, condition: Fragment): Promise<readonly RepositoryColumns[]> {
  return query<RepositoryColumns>(
    db,
    fragment`select ${repositoryColumns(viewer)} from accounts o ${repositoryJoins(viewer)} where ${condition}`,
  );
}

async function findPermitted(
  db: Db,
  viewer: Viewer,
  condition: Fragment,
): Promise<PermittedRepository | undefined> {
  const [found] = await permittedRepositoriesOf(db, viewer, await findRows(db, viewer, condition));
  return found;
}

/** Finds a repository and what the viewer holds on it, in one query. */
export function findRepository(
  db: Db,
  viewer: Viewer,
  path: RepositoryPath,
): Promise<PermittedRepository | undefined> {
  const { owner, name } = path;
  return findPermitted(
    db,
    viewer,
    fragment`o.lower_name = ${owner.toLowerCase()} and r.lower_name = ${name.toLowerCase()}`,
  );
}

export function findRepositoryById(
  db: Db,
  viewer: Viewer,
  id: RepositoryId,
): Promise<PermittedRepository | undefined> {
  return findPermitted(db, viewer, fragment`r.id = ${id}`);
}

/** Adds the parents of forks and pending transfers to rows: one query each, and only if a row needs it. */
export async function permittedRepositoriesOf(
  db: Db,
  viewer: Viewer,
  rows: readonly RepositoryColumns[],
): Promise<readonly PermittedRepository[]> {
  const parents = await findParents(db, viewer, rows);
  const transfers = await findTransfers(db, viewer, rows);
  return rows.map((row) => ({
    ...withoutRelatives(row),
    parent: (row.parent_id === null ? undefined : parents.get(row.parent_id)) ?? null,
    transfer: transfers.get(row.id) ?? null,
  }));
}

function withoutRelatives(row: RepositoryColumns): PermittedRepository {
  return { repository: repositoryOf(row), parent: null, transfer: null, ...permissionsOf(row.permissions) };
}

const NO_PARENTS: ReadonlyMap<RepositoryId, PermittedRepository> = new Map();

/** Lists repositories in the order of the ids. Leaves out those that are deleted or hidden. */
export async function listRepositoriesById(
  db: Db,
  viewer: Viewer,
  ids: readonly RepositoryId[],
): Promise<readonly PermittedRepository[]> {
  if (ids.length === 0) return [];
  const rows = await findRows(db, viewer, fragment`r.id in (${values(ids)})`);
  const seen = await permittedRepositoriesOf(
    db,
    viewer,
    rows.filter((row) => row.permissions > 0),
  );
  const byId = new Map(seen.map((permitted) => [permitted.repository.id, permitted]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function findParents(
  db: Db,
  viewer: Viewer,
  rows: readonly RepositoryColumns[],
): Promise<ReadonlyMap<RepositoryId, PermittedRepository>> {
  const ids = rows.flatMap((row) => (row.parent_id === null ? [] : [row.parent_id]));
  if (ids.length === 0) return NO_PARENTS;
  const found = await findRows(db, viewer, fragment`r.id in (${values(ids)})`);
  return new Map(found.filter((row) => row.permissions > 0).map((row) => [row.id, withoutRelatives(row)]));
}

function repositoryOf(row: RepositoryColumns): Repository {
  return {
    id: row.id,
    owner: ownerOfColumns(row),
    name: row.name,
    description: row.description,
    website: row.website,
    isPrivate: row.is_private === 1,
    isTemplate: row.is_template === 1,
    isMirror: row.is_mirror === 1,
    isEmpty: row.is_empty === 1,
    archivedAt: row.archived_at,
    defaultBranch: row.head.slice(BRANCHES.length),
    objectFormat: row.object_format,
    sizeBytes: row.size_bytes,
    wikiId: row.wiki_id,
    parentId: row.parent_id,
    units: unitsOfColumns(row),
    starsCount: row.stars_count,
    watchersCount: row.watchers_count,
    forksCount: row.forks_count,
    openIssuesCount: row.open_issues_count,
    openPullsCount: row.open_pulls_count,
    releasesCount: row.releases_count,
    isInTransfer: row.is_in_transfer === 1,
    language: row.language,
    topics: row.topics === '' ? [] : row.topics.split(' '),
    avatar: row.avatar,
    originalUrl: row.original_url,
    mirrorIntervalMs: row.mirror_interval_ms,
    mirrorUpdatedAt: row.mirror_updated_at,
    mirrorError: row.mirror_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function listRepositoryIds(db: Db): Promise<readonly RepositoryId[]> {
  const rows = await db.selectFrom('repositories').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

/** Lists the ids of the git repositories of wikis. */
export async function listWikiIds(db: Db): Promise<readonly RepositoryId[]> {
  const rows = await db
    .selectFrom('repositories')
    .select('wiki_id')
    .where('wiki_id', 'is not', null)
    .execute();
  return rows.flatMap((row) => row.wiki_id ?? []);
}

/** Finds the repository that has a wiki. */
export async function findRepositoryOfWiki(db: Db, wikiId: RepositoryId): Promise<RepositoryId | undefined> {
  const row = await db
    .selectFrom('repositories')
    .select('id')
    .where('wiki_id', '=', wikiId)
    .executeTakeFirst();
  return row?.id;
}

/** @returns undefined for a missing repository; null for one without a wiki */
export async function findWikiId(db: Db, id: RepositoryId): Promise<RepositoryId | null | undefined> {
  const row = await db.selectFrom('repositories').select('wiki_id').where('id', '=', id).executeTakeFirst();
  return row?.wiki_id;
}

/** Lists all repositories of one owner, for their deletion. */
export async function listOwnedBy(
  tx: Tx,
  ownerId: number,
): Promise<readonly { id: RepositoryId; name: string }[]> {
  return tx
    .selectFrom('repositories')
    .select(['id', 'name'])
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .execute();
}

export async function findRepositoryId(db: Db, path: RepositoryPath): Promise<RepositoryId | undefined> {
  const row = await db
    .selectFrom('repositories')
    .innerJoin('accounts', 'accounts.id', 'repositories.owner_id')
    .select('repositories.id')
    .where('accounts.lower_name', '=', path.owner.toLowerCase())
    .where('repositories.lower_name', '=', path.name.toLowerCase())
    .executeTakeFirst();
  return row?.id;
}

/**
 * Inserts a repository and ends the redirect of its path, if there is one.
 *
 * @throws a unique violation if the owner has a repository of this name
 */
export async function insertRepository(
  tx: Tx,
  made: {
    id: RepositoryId;
    ownerId: number;
    wanted: NewRepository & { readonly isPrivate: boolean };
    units: RepositoryUnits;
    at: number;
    /** the repository that it is a fork of; its refs and objects were copied before */
    parent?: Pick<Repository, 'id' | 'language' | 'sizeBytes'>;
  },
): Promise<void> {
  const { id, ownerId, wanted, units, at, parent } = made;
  const inherited =
    parent === undefined
      ? {}
      : {
          parent_id: parent.id,
          language: parent.language,
          size_bytes: parent.sizeBytes,
          git_bytes: sql<number>`(select p.git_bytes from repositories p where p.id = ${parent.id})`,
          is_empty: (await hasBranches(tx, id)) ? 0 : 1,
        };
  await tx
    .insertInto('repositories')
    .values({
      id,
      owner_id: ownerId,
      name: wanted.name,
      lower_name: wanted.name.toLowerCase(),
      description: wanted.description,
      lower_description: wanted.description.toLowerCase(),
      is_private: wanted.isPrivate ? 1 : 0,
      is_template: wanted.isTemplate ? 1 : 0,
      trust_model: wanted.trustModel,
      archived_at: null,
      ...columnsOfUnits(units),
      ...inherited,
      created_at: at,
      updated_at: at,
    })
    .execute();
  await claimName(tx, { ownerId, name: wanted.name });
}

/** @returns whether the repository existed */
export async function deleteRepository(tx: Tx, id: RepositoryId): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('repositories').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
