import { sql } from 'kysely';
import { notFound } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { deleteCollaboration, deleteCollaborationsOfBlocked } from './store/collaborators.ts';
import { deleteIntent, insertIntent } from './store/intents.ts';
import { moveName, setOwner } from './store/redirects.ts';
import { columnsOfUnits, UNIT_COLUMNS, unitsOfColumns } from './units.ts';

// Facts about a repository that other features find out or decide. The functions run in their transactions.

/** Rows of other features, counted in the row of the repository. */
interface RepositoryCounts {
  readonly stars?: number;
  readonly watchers?: number;
  readonly openIssues?: number;
  readonly closedIssues?: number;
  readonly openPulls?: number;
  readonly closedPulls?: number;
  readonly comments?: number;
  readonly releases?: number;
}

/**
 * Adds to the counts of each repository, in the transaction that changes the counted rows; a negative number subtracts.
 */
export async function addToRepositoryCounts(
  tx: Tx,
  ids: readonly RepositoryId[],
  counts: RepositoryCounts,
): Promise<void> {
  const {
    stars = 0,
    watchers = 0,
    openIssues = 0,
    closedIssues = 0,
    openPulls = 0,
    closedPulls = 0,
    comments = 0,
    releases = 0,
  } = counts;
  await tx
    .updateTable('repositories')
    .set({
      stars_count: sql<number>`stars_count + ${stars}`,
      watchers_count: sql<number>`watchers_count + ${watchers}`,
      open_issues_count: sql<number>`open_issues_count + ${openIssues}`,
      closed_issues_count: sql<number>`closed_issues_count + ${closedIssues}`,
      open_pulls_count: sql<number>`open_pulls_count + ${openPulls}`,
      closed_pulls_count: sql<number>`closed_pulls_count + ${closedPulls}`,
      comments_count: sql<number>`comments_count + ${comments}`,
      releases_count: sql<number>`releases_count + ${releases}`,
    })
    .where('id', 'in', ids)
    .execute();
}

/** Removes an account's stars and watches from the counts, before the account is deleted. */
export async function subtractAccountFromCounts(tx: Tx, accountId: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ stars_count: sql<number>`stars_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('stars').select('repository_id').where('account_id', '=', accountId),
    )
    .execute();
  await tx
    .updateTable('repositories')
    .set({ watchers_count: sql<number>`watchers_count - 1` })
    .where('id', 'in', (from) =>
      from.selectFrom('watches').select('repository_id').where('account_id', '=', accountId),
    )
    .execute();
}

/** Returns the number of the next issue or pull request. If the transaction is undone, the next one gets the number. */
export async function assignIssueNumber(tx: Tx, id: RepositoryId): Promise<number> {
  const row = await tx
    .updateTable('repositories')
    .set({ last_issue_number: sql<number>`last_issue_number + 1` })
    .where('id', '=', id)
    .returning('last_issue_number')
    .executeTakeFirstOrThrow();
  return row.last_issue_number;
}

/** Records the highest number of imported issues and pull requests. */
export async function setLastIssueNumber(tx: Tx, id: RepositoryId, number: number): Promise<void> {
  await tx.updateTable('repositories').set({ last_issue_number: number }).where('id', '=', id).execute();
}

/** Sets what a source says about a repository, in the transaction that publishes it. Empty texts change nothing. */
export async function setAbout(
  tx: Tx,
  id: RepositoryId,
  { description, website }: { readonly description: string; readonly website: string },
): Promise<void> {
  const about = { ...(description === '' ? {} : { description }), ...(website === '' ? {} : { website }) };
  if (Object.keys(about).length === 0) return;
  await tx.updateTable('repositories').set(about).where('id', '=', id).execute();
}

/** Sets the name of the uploaded picture of a repository; '' removes it. */
export async function setRepositoryAvatar(tx: Tx, id: RepositoryId, avatar: string): Promise<void> {
  await tx.updateTable('repositories').set({ avatar }).where('id', '=', id).execute();
}

/** @param topics sorted by name */
export async function setTopics(tx: Tx, id: RepositoryId, topics: readonly string[]): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ topics: topics.join(' ') })
    .where('id', '=', id)
    .execute();
}

/**
 * @param language the main language of the default branch; '' for none
 * @returns whether the repository exists
 */
export async function setMainLanguage(tx: Tx, id: RepositoryId, language: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ language })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Records how large a git repository is: the one of a repository, or the one of its wiki.
 *
 * @returns the old size, with large files; undefined for a missing one
 */
export async function setSizeBytes(
  tx: Tx,
  id: RepositoryId,
  { gitBytes, lfsBytes }: { readonly gitBytes: number; readonly lfsBytes: number },
): Promise<number | undefined> {
  const bytes = gitBytes + lfsBytes;
  const row = await tx
    .selectFrom('repositories')
    .select(['id', 'size_bytes', 'wiki_bytes'])
    .where((is) => is.or([is('id', '=', id), is('wiki_id', '=', id)]))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isWiki = row.id !== id;
  const sizes = isWiki
    ? { size_bytes: sql<number>`size_bytes - wiki_bytes + ${bytes}`, wiki_bytes: bytes }
    : { size_bytes: sql<number>`wiki_bytes + ${bytes}`, git_bytes: gitBytes };
  await tx.updateTable('repositories').set(sizes).where('id', '=', row.id).execute();
  return isWiki ? row.wiki_bytes : row.size_bytes - row.wiki_bytes;
}

/** Adds the bytes of new objects to a wiki, until it is measured. The first push of a wiki adds none: the wiki has no row yet. */
export async function addWikiBytes(tx: Tx, wikiId: RepositoryId, bytes: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({
      wiki_bytes: sql<number>`wiki_bytes + ${bytes}`,
      size_bytes: sql<number>`size_bytes + ${bytes}`,
    })
    .where('wiki_id', '=', wikiId)
    .execute();
}

/** Reserves an id for the git repository of a wiki that no repository has yet. It is abandoned like a pending repository. */
export function insertWikiIntent(tx: Tx, now: number): Promise<RepositoryId> {
  return insertIntent(tx, now);
}

/**
 * Gives a repository the wiki that was made for it.
 *
 * @returns whether it has this wiki now; false if it is missing or has another wiki, or if this one was abandoned
 */
export async function setWiki(tx: Tx, id: RepositoryId, wikiId: RepositoryId): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ wiki_id: wikiId })
    .where('id', '=', id)
    .where('wiki_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n && deleteIntent(tx, wikiId);
}

/** Records the branch that a built-in wiki has from its first push. */
export async function setWikiBranch(tx: Tx, id: RepositoryId, branch: string): Promise<void> {
  const row = await tx
    .selectFrom('repositories')
    .select([...UNIT_COLUMNS])
    .where('id', '=', id)
    .executeTakeFirst();
  const units = row === undefined ? undefined : unitsOfColumns(row);
  if (units?.wiki.kind !== 'built-in') return;
  const after = columnsOfUnits({ ...units, wiki: { ...units.wiki, branch } });
  await tx.updateTable('repositories').set(after).where('id', '=', id).execute();
}

/**
 * Records whether a transfer is pending, and locks the row until the transaction ends.
 *
 * @returns whether the repository exists
 */
export async function setInTransfer(tx: Tx, id: RepositoryId, isInTransfer: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ is_in_transfer: isInTransfer ? 1 : 0 })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Where a repository was copied from. */
export interface Source {
  /** without credentials */
  readonly originalUrl: string;
  /** null: the repository does not follow it */
  readonly mirror: { readonly intervalMs: number; readonly updatedAt: number } | null;
}

/** Records where a repository was copied from, in the transaction that publishes it. */
export async function setSource(tx: Tx, id: RepositoryId, { originalUrl, mirror }: Source): Promise<void> {
  const followed =
    mirror === null
      ? {}
      : { is_mirror: 1, mirror_interval_ms: mirror.intervalMs, mirror_updated_at: mirror.updatedAt };
  await tx
    .updateTable('repositories')
    .set({ original_url: originalUrl, ...followed })
    .where('id', '=', id)
    .execute();
}

/** Makes a mirror a usual repository. */
export async function unsetMirror(tx: Tx, id: RepositoryId): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ is_mirror: 0, mirror_interval_ms: 0, mirror_updated_at: null, mirror_error: '' })
    .where('id', '=', id)
    .execute();
}

/** @param at ms, when the mirror agreed with its source */
export async function setMirrorUpdated(tx: Tx, id: RepositoryId, at: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set({ mirror_updated_at: at, mirror_error: '' })
    .where('id', '=', id)
    .execute();
}

/** @param why the last update of a mirror failed */
export async function setMirrorError(tx: Tx, id: RepositoryId, why: string): Promise<void> {
  await tx.updateTable('repositories').set({ mirror_error: why }).where('id', '=', id).execute();
}

/**
 * Gives a repository to another owner. The old path redirects. Deletes a collaboration of the new owner.
 *
 * @returns the name of the repository
 * @throws ForgeError `not_found` if it no longer belongs to `fromId`; a unique violation if the new owner has another
 *   repository of this name; a foreign key violation if the new owner is missing
 */
export async function changeOwner(
  tx: Tx,
  id: RepositoryId,
  owners: { fromId: number; toId: number },
): Promise<string> {
  const { fromId, toId } = owners;
  const name = await setOwner(tx, id, owners);
  if (name === undefined) throw notFound('repository');
  await deleteCollaboration(tx, id, toId);
  await deleteCollaborationsOfBlocked(tx, id);
  await moveName(tx, id, { from: { ownerId: fromId, name }, to: { ownerId: toId, name } });
  return name;
}
