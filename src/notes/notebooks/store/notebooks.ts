import { type Db, dialectOf, type Tx } from '../../../base/database/database.ts';
import { fragment, raw } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { Notebook, NotebookLocation } from '../model.ts';

interface Columns {
  id: number | null;
  indexed_commit: string | null;
  incarnation: string | null;
  counter: number | null;
  suffixes: string | null;
  tip: string | null;
}

export interface NotebookAndTip {
  /** undefined: not opened yet */
  readonly notebook: Notebook | undefined;
  /** current commit of the default branch; null if there is none */
  readonly tip: Oid | null;
}

/** Finds a notebook and the tip of its branch, in one query; undefined if its repository is missing. */
export async function findNotebook(db: Db, location: NotebookLocation): Promise<NotebookAndTip | undefined> {
  const row = await queryFirst<Columns>(
    db,
    fragment`select b.id, b.indexed_commit, b.incarnation, b.counter, b.suffixes, r.oid as tip
    from git_repositories g
    left join git_refs r on r.repository_id = g.id and r.name = g.head
    left join notebooks b on b.repository_id = g.id and b.folder = ${location.folder}
    where g.id = ${location.repositoryId}`,
  );
  if (row === undefined) return undefined;
  const { id, incarnation, counter, suffixes } = row;
  const isThere = id !== null && incarnation !== null && counter !== null && suffixes !== null;
  const notebook = isThere
    ? { ...location, id, incarnation, counter, suffixes: listOf(suffixes), indexedCommit: row.indexed_commit }
    : undefined;
  return { notebook, tip: row.tip };
}

/** Lists the notebooks of a repository whose rows describe a commit; null: notebooks that are not indexed yet. */
export async function listNotebooksAt(
  db: Db,
  repositoryId: RepositoryId,
  commit: Oid | null,
): Promise<readonly Notebook[]> {
  const rows = await query<{
    id: number;
    folder: string;
    incarnation: string;
    counter: number;
    suffixes: string;
  }>(
    db,
    fragment`select id, folder, incarnation, counter, suffixes from notebooks
      where repository_id = ${repositoryId} and indexed_commit ${commit === null ? raw('is null') : fragment`= ${commit}`}`,
  );
  return rows.map(({ suffixes, ...row }) => ({
    ...row,
    repositoryId,
    indexedCommit: commit,
    suffixes: listOf(suffixes),
  }));
}

/** A notebook, with a path for its users. */
export interface NamedNotebook extends NotebookLocation {
  readonly id: number;
  /** owner, repository and folder: `ada/Notes/Work` */
  readonly path: string;
}

/** @param accountId lists only the notebook to which the settings of this account lead; null: all notebooks */
export async function listNotebooks(db: Db, accountId: number | null): Promise<readonly NamedNotebook[]> {
  const ofAccount =
    accountId === null
      ? raw('')
      : fragment`where exists (select 1 from note_settings s where s.account_id = ${accountId}
          and s.repository_id = b.repository_id and s.folder = b.folder)`;
  const rows = await query<{
    id: number;
    repository_id: number;
    folder: string;
    owner: string;
    name: string;
  }>(
    db,
    fragment`select b.id, b.repository_id, b.folder, a.name as owner, r.name from notebooks b
      join repositories r on r.id = b.repository_id join accounts a on a.id = r.owner_id ${ofAccount}
      order by a.lower_name, r.lower_name, b.folder`,
  );
  return rows.map(({ id, repository_id: repositoryId, folder, owner, name }) => ({
    id,
    repositoryId,
    folder,
    path: [owner, name, ...(folder === '' ? [] : [folder])].join('/'),
  }));
}

export async function countNotes(db: Db, notebookId: number): Promise<number> {
  const row = await queryFirst<{ count: number }>(
    db,
    fragment`select count(*) as count from notes where notebook_id = ${notebookId} and deleted_at is null`,
  );
  return row?.count ?? 0;
}

export async function insertNotebook(tx: Tx, location: NotebookLocation, incarnation: string): Promise<void> {
  await tx
    .insertInto('notebooks')
    .values({
      repository_id: location.repositoryId,
      folder: location.folder,
      indexed_commit: null,
      incarnation,
    })
    .onConflict((conflict) => conflict.columns(['repository_id', 'folder']).doNothing())
    .execute();
}

function listOf(suffixes: string): readonly string[] {
  return suffixes === '' ? [] : suffixes.split(' ');
}

/** Adds suffixes of notes to a notebook. All of its files are then indexed again. */
export async function setSuffixes(
  tx: Tx,
  { id, counter }: Pick<Notebook, 'id' | 'counter'>,
  suffixes: readonly string[],
): Promise<void> {
  await query(
    tx,
    fragment`update notebooks set suffixes = ${suffixes.join(' ')}, counter = counter + 1, indexed_commit = null
      where id = ${id} and counter = ${counter}`,
  );
}

/**
 * Advances a notebook to `commit`, and locks it until the transaction ends.
 *
 * @returns false if the notebook has changed since it was read
 */
export async function advanceNotebook(
  tx: Tx,
  notebook: Pick<Notebook, 'id' | 'counter'>,
  commit: Oid | null,
): Promise<boolean> {
  const advanced = await queryFirst(
    tx,
    fragment`update notebooks set counter = counter + 1, indexed_commit = ${commit}
      where id = ${notebook.id} and counter = ${notebook.counter} returning id`,
  );
  return advanced !== undefined;
}

/** Waits for running changes of the notebook. */
export async function lockNotebook(tx: Tx, id: number): Promise<void> {
  // The embedded database has one writer, so a transaction there has waited already.
  if (dialectOf(tx) === 'postgres')
    await query(tx, fragment`select id from notebooks where id = ${id} for share`);
}
