import type { Db, Tx } from '../../database/database.ts';
import { fragment } from '../../database/fragment.ts';
import { queryFirst } from '../../database/query.ts';
import type { Oid, RepositoryId } from '../../git/model.ts';
import type { EntryHistory, FolderHistory, LastCommit } from './model.ts';

/** SQLite takes 32,766 values in a statement; a row here has four. */
const ROWS_PER_STATEMENT = 500;

export interface FolderKey {
  readonly repositoryId: RepositoryId;
  readonly folder: string;
  readonly at: Oid;
}

export async function findFolder(db: Db, key: FolderKey): Promise<FolderHistory | undefined> {
  const row = await queryFirst<{ entries: string }>(
    db,
    fragment`select entries from last_commit_folders
      where repository_id = ${key.repositoryId} and folder = ${key.folder} and at_commit = ${key.at}`,
  );
  return row === undefined ? undefined : decode(row.entries);
}

/** The commits whose root is known, and with it every folder below. */
export async function listIndexedCommits(db: Db, repositoryId: RepositoryId): Promise<readonly Oid[]> {
  const rows = await db
    .selectFrom('last_commit_folders')
    .select('at_commit')
    .where('repository_id', '=', repositoryId)
    .where('folder', '=', '')
    .execute();
  return rows.map((row) => row.at_commit);
}

export async function insertFolders(
  tx: Tx,
  repositoryId: RepositoryId,
  folders: readonly { folder: string; at: Oid; entries: FolderHistory }[],
): Promise<void> {
  for (let from = 0; from < folders.length; from += ROWS_PER_STATEMENT) {
    const rows = folders.slice(from, from + ROWS_PER_STATEMENT).map(({ folder, at, entries }) => ({
      repository_id: repositoryId,
      folder,
      at_commit: at,
      entries: encode(entries),
    }));
    await tx
      .insertInto('last_commit_folders')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export async function listFolderKeys(db: Db, repositoryId: RepositoryId): Promise<readonly FolderKey[]> {
  const rows = await db
    .selectFrom('last_commit_folders')
    .select(['folder', 'at_commit'])
    .where('repository_id', '=', repositoryId)
    .execute();
  return rows.map((row) => ({ repositoryId, folder: row.folder, at: row.at_commit }));
}

export async function deleteFolders(
  tx: Tx,
  repositoryId: RepositoryId,
  keys: readonly FolderKey[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += ROWS_PER_STATEMENT) {
    const part = keys.slice(from, from + ROWS_PER_STATEMENT);
    await tx
      .deleteFrom('last_commit_folders')
      .where('repository_id', '=', repositoryId)
      .where((where) => where.or(part.map(({ folder, at }) => where.and({ folder, at_commit: at }))))
      .execute();
  }
}

/** Each commit appears once, as `[oid, seconds]`; an entry is `[name, commit]` or `[name, commit, commit inside]`. */
interface Stored {
  readonly commits: readonly (readonly [Oid, number])[];
  readonly entries: readonly (readonly [string, number] | readonly [string, number, Oid])[];
}

function encode(entries: FolderHistory): string {
  const positions = new Map<Oid, number>();
  const commits: [Oid, number][] = [];
  const placeOf = ({ oid, seconds }: LastCommit): number => {
    const known = positions.get(oid);
    if (known !== undefined) return known;
    positions.set(oid, commits.length);
    commits.push([oid, seconds]);
    return commits.length - 1;
  };
  const listed = [...entries].map(([key, { last, insideAt }]): Stored['entries'][number] =>
    insideAt === null ? [key, placeOf(last)] : [key, placeOf(last), insideAt],
  );
  return JSON.stringify({ commits, entries: listed } satisfies Stored);
}

function decode(text: string): FolderHistory {
  const { commits, entries } = JSON.parse(text) as Stored;
  const lasts = commits.map(([oid, seconds]): LastCommit => ({ oid, seconds }));
  const decoded = new Map<string, EntryHistory>();
  for (const [key, position, insideAt] of entries) {
    const last = lasts[position];
    if (last !== undefined) decoded.set(key, { last, insideAt: insideAt ?? null });
  }
  return decoded;
}
