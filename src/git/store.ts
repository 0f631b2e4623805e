import { currentTimeMs } from '../base/core/time/clock.ts';
import { type Db, dialectOf, type Tx } from '../base/database/database.ts';
import { fragment, joined, raw } from '../base/database/fragment.ts';
import { query, queryFirst } from '../base/database/query.ts';
import type { ObjectFormat } from './format/model.ts';
import type { RepositoryId } from './interface/snapshot.ts';
import type { Ref, RefChanges } from './refs/ref-table.ts';

/** Bounded by the parameters of one statement: 32,766 on SQLite, 65,535 on PostgreSQL. */
const REFS_PER_STATEMENT = 1_000;

/** The `gen` of a new repository. */
export const FIRST_GEN = 1;

/** Selects refs: one by its full name, or all whose names begin with a prefix. */
export type RefNames = { readonly only: string } | { readonly prefixes: readonly string[] };

export interface GitRepositoryRow {
  readonly format: ObjectFormat;
  readonly head: string;
  readonly gen: number;
  readonly pruneGen: number;
  readonly compactedGen: number;
}

interface RepositoryColumns {
  object_format: ObjectFormat;
  head: string;
  gen: number;
  prune_gen: number;
  compacted_gen: number;
}

interface RefColumns {
  name: string;
  oid: string | null;
  peeled: string | null;
  gen: number;
}

export function findGitRepository(db: Db, id: RepositoryId): Promise<GitRepositoryRow | undefined> {
  return readGitRepository(db, id, { isLocked: false });
}

/** Reads and locks the row. Until the transaction ends, no other one changes it or the repository's refs. */
export function lockGitRepository(tx: Tx, id: RepositoryId): Promise<GitRepositoryRow | undefined> {
  // The embedded database has one writer, so every transaction already holds all locks.
  return readGitRepository(tx, id, { isLocked: dialectOf(tx) === 'postgres' });
}

async function readGitRepository(
  db: Db,
  id: RepositoryId,
  { isLocked }: { isLocked: boolean },
): Promise<GitRepositoryRow | undefined> {
  const row = await queryFirst<RepositoryColumns>(
    db,
    fragment`select object_format, head, gen, prune_gen, compacted_gen from git_repositories
      where id = ${id} ${isLocked ? FOR_UPDATE : NO_LOCK}`,
  );
  return row && toRow(row);
}

const FOR_UPDATE = raw('for update');
const NO_LOCK = raw('');

function toRow(row: RepositoryColumns): GitRepositoryRow {
  const { object_format: format, head, gen, prune_gen: pruneGen, compacted_gen: compactedGen } = row;
  return { format, head, gen, pruneGen, compactedGen };
}

/** Lists ref changes after version `since` (0: all existing refs), and the highest version among them. */
export async function listRefChanges(
  db: Db,
  id: RepositoryId,
  since: number,
): Promise<{ changes: RefChanges; newest: number }> {
  const rows = await query<RefColumns>(
    db,
    fragment`select name, oid, peeled, gen from git_refs where repository_id = ${id} and gen > ${since}`,
  );
  const changes = new Map<string, Ref | null>();
  let newest = since;
  for (const { name, oid, peeled, gen } of rows) {
    newest = Math.max(newest, gen);
    if (oid !== null || since > 0) changes.set(name, oid === null ? null : { oid, peeled });
  }
  return { changes, newest };
}

export async function insertGitRepository(
  tx: Tx,
  id: RepositoryId,
  options: { head: string; objectFormat: ObjectFormat; staged?: string },
): Promise<void> {
  const { objectFormat, head, staged } = options;
  await tx
    .insertInto('git_repositories')
    .values({ id, object_format: objectFormat, head, staged: staged ?? null })
    .execute();
}

export async function deleteGitRepository(tx: Tx, id: RepositoryId): Promise<void> {
  const gone = await tx.deleteFrom('git_repositories').where('id', '=', id).executeTakeFirst();
  if (gone.numDeletedRows === 0n) return;
  await tx
    .insertInto('git_removed')
    .values({ repository_id: id, removed_at: currentTimeMs() })
    .onConflict((conflict) => conflict.column('repository_id').doNothing())
    .execute();
}

/** Writes refs as of version `gen`. Deleted refs stay as rows without an oid, so that caches see the deletion. */
export async function setRefs(tx: Tx, id: RepositoryId, gen: number, changes: RefChanges): Promise<void> {
  const rows = [...changes].map(
    ([name, ref]) => fragment`(${id}, ${name}, ${ref?.oid ?? null}, ${ref?.peeled ?? null}, ${gen})`,
  );
  for (let at = 0; at < rows.length; at += REFS_PER_STATEMENT) {
    await query(
      tx,
      fragment`insert into git_refs (repository_id, name, oid, peeled, gen)
        values ${joined(rows.slice(at, at + REFS_PER_STATEMENT), ', ')}
        on conflict (repository_id, name) do update set
          oid = excluded.oid, peeled = excluded.peeled, gen = excluded.gen`,
    );
  }
}

/** Deletes the rows of refs that were deleted up to version `gen`. */
export async function deleteTombstones(tx: Tx, id: RepositoryId, gen: number): Promise<void> {
  await tx
    .deleteFrom('git_refs')
    .where('repository_id', '=', id)
    .where('gen', '<=', gen)
    .where('oid', 'is', null)
    .execute();
}

export async function hasTombstones(db: Db, id: RepositoryId): Promise<boolean> {
  const row = await db
    .selectFrom('git_refs')
    .select('name')
    .where('repository_id', '=', id)
    .where('oid', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function setCompactedGen(tx: Tx, id: RepositoryId, gen: number): Promise<void> {
  await tx.updateTable('git_repositories').set({ compacted_gen: gen }).where('id', '=', id).execute();
}

/**
 * Copies the refs of `from` that have not changed after version `until` to the first version of `to`.
 *
 * @param copy.names one name, or all names with one of the prefixes
 */
export async function copyRefs(
  tx: Tx,
  copy: { from: RepositoryId; until: number; to: RepositoryId; names: RefNames },
): Promise<void> {
  const { from, until, to, names } = copy;
  await tx
    .insertInto('git_refs')
    .columns(['repository_id', 'name', 'oid', 'peeled', 'gen'])
    .expression((build) =>
      build
        .selectFrom('git_refs')
        .select(({ val }) => [val(to).as('repository_id'), 'name', 'oid', 'peeled', val(FIRST_GEN).as('gen')])
        .where('repository_id', '=', from)
        .where('gen', '<=', until)
        .where('oid', 'is not', null)
        .where(({ eb, fn, or, val }) =>
          'only' in names
            ? eb('name', '=', names.only)
            : or(
                names.prefixes.map((prefix) =>
                  eb(fn<string>('substr', ['name', val(1), val(prefix.length)]), '=', prefix),
                ),
              ),
        ),
    )
    .execute();
}

export async function setGen(tx: Tx, id: RepositoryId, gen: number): Promise<void> {
  await query(tx, fragment`update git_repositories set gen = ${gen} where id = ${id}`);
}

export async function setHeadRow(tx: Tx, id: RepositoryId, head: string, gen: number): Promise<void> {
  await tx.updateTable('git_repositories').set({ head, gen }).where('id', '=', id).execute();
}

export async function hasRef(db: Db, id: RepositoryId, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('git_refs')
    .select('name')
    .where('repository_id', '=', id)
    .where('name', '=', name)
    .where('oid', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function setPruneGen(tx: Tx, id: RepositoryId, pruneGen: number): Promise<void> {
  await tx.updateTable('git_repositories').set({ prune_gen: pruneGen }).where('id', '=', id).execute();
}

/** Finds the name of the staged folder that still has a fork's objects; null if there is none. */
export async function findStaged(db: Db, id: RepositoryId): Promise<string | null> {
  const row = await queryFirst<{ staged: string | null }>(
    db,
    fragment`select staged from git_repositories where id = ${id}`,
  );
  return row?.staged ?? null;
}

export async function clearStaged(tx: Tx, id: RepositoryId): Promise<void> {
  await tx.updateTable('git_repositories').set({ staged: null }).where('id', '=', id).execute();
}

/** Lists the staged folders that rows name. */
export async function listStaged(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('git_repositories')
    .select('staged')
    .where('staged', 'is not', null)
    .execute();
  return rows.flatMap(({ staged }) => staged ?? []);
}

export async function listGitRepositories(db: Db): Promise<readonly RepositoryId[]> {
  const rows = await db.selectFrom('git_repositories').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

export async function listRemovedBefore(db: Db, before: number): Promise<readonly RepositoryId[]> {
  const rows = await db
    .selectFrom('git_removed')
    .select('repository_id')
    .where('removed_at', '<=', before)
    .orderBy('repository_id')
    .execute();
  return rows.map((row) => row.repository_id);
}

export async function deleteRemoved(tx: Tx, id: RepositoryId): Promise<void> {
  await tx.deleteFrom('git_removed').where('repository_id', '=', id).execute();
}
