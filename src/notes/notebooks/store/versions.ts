import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Db, Tx } from '../../../base/database/database.ts';
import { fragment, values } from '../../../base/database/fragment.ts';
import { query, queryFirst } from '../../../base/database/query.ts';
import type { Oid } from '../../../git/format/model.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { Credential, Notebook, NoteVersion, SentVersion } from '../model.ts';

/** Databases limit the parameters of a statement. */
const IDS_PER_STATEMENT = 500;

/** Stores the current versions of notes before a change of the notebook replaces them. */
export async function storeVersions(
  tx: Tx,
  { indexedCommit }: Pick<Notebook, 'indexedCommit'>,
  ids: readonly number[],
  { togglesFavoriteOf = null }: { togglesFavoriteOf?: number | null } = {},
): Promise<void> {
  // If there is no commit, there is no note to replace.
  if (indexedCommit === null) return;
  const now = currentTimeMs();
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
    await query(
      tx,
      fragment`insert into note_versions (note_id, counter, commit_oid, path, oid, title, category, written_by,
        last_update_at, toggled_favorite_of, replaced_at)
      select id, counter, ${indexedCommit}, path, oid, title, category, written_by, last_update_at,
        ${togglesFavoriteOf}, ${now}
      from notes where id in (${values(ids.slice(at, at + IDS_PER_STATEMENT))}) and deleted_at is null
      on conflict (note_id, counter) do nothing`,
    );
  }
}

/** Deletes the versions of a note that are too old or too many. */
export async function forgetVersions(tx: Tx, noteId: number): Promise<void> {
  await query(
    tx,
    fragment`delete from note_versions where note_id = ${noteId} and (
      replaced_at < ${currentTimeMs() - NOTE_LIMITS.noteVersionsKeptMs} or counter <= coalesce((
        select counter from note_versions where note_id = ${noteId}
        order by counter desc limit 1 offset ${NOTE_LIMITS.noteVersionsMax}), -1))`,
  );
}

interface VersionColumns {
  counter: number;
  commit_oid: string;
  path: string;
  oid: string;
  title: string;
  category: string;
  written_by: string | null;
  last_update_at: number;
  toggled_favorite_of: number | null;
}

/** Lists the versions of a note before the current one, the oldest first. */
export async function listVersions(db: Db, noteId: number): Promise<readonly NoteVersion[]> {
  const rows = await query<VersionColumns>(
    db,
    fragment`select counter, commit_oid, path, oid, title, category, written_by, last_update_at,
      toggled_favorite_of from note_versions where note_id = ${noteId} order by counter`,
  );
  return rows.map((row) => ({
    counter: row.counter,
    commit: row.commit_oid,
    path: row.path,
    oid: row.oid,
    title: row.title,
    category: row.category,
    writtenBy: row.written_by,
    lastUpdateAt: row.last_update_at,
    toggledFavoriteOf: row.toggled_favorite_of,
  }));
}

/** A response with texts of notes. It had, at this counter, all notes that were last updated in this range of time. */
export interface Serving {
  readonly counter: number;
  /** ms, both inclusive */
  readonly since: number;
  readonly until: number;
}

interface ServingKey {
  readonly credential: Credential;
  readonly notebookId: number;
  /** null: a list */
  readonly noteId: number | null;
}

function ofKey({ credential, notebookId, noteId }: ServingKey) {
  return fragment`account_id = ${credential.accountId} and credential = ${credential.name}
    and notebook_id = ${notebookId} and note_id = ${noteId ?? 0}`;
}

/** Whether an earlier response with the same texts is recorded. */
export async function hasServing(
  db: Db,
  key: ServingKey,
  { counter, since, until }: Serving,
): Promise<boolean> {
  const known = await queryFirst(
    db,
    fragment`select 1 as known from note_servings where ${ofKey(key)}
      and counter = ${counter} and since <= ${since} and until >= ${until}`,
  );
  return known !== undefined;
}

export async function insertServing(
  tx: Tx,
  key: ServingKey,
  { counter, since, until }: Serving,
): Promise<void> {
  const { credential, notebookId, noteId } = key;
  const now = currentTimeMs();
  await query(
    tx,
    fragment`insert into note_servings (account_id, credential, notebook_id, note_id, counter, since, until, served_at)
      select ${credential.accountId}, ${credential.name}, id, ${noteId ?? 0}, ${counter}, ${since}, ${until}, ${now}
      from notebooks where id = ${notebookId}
      on conflict (account_id, credential, notebook_id, note_id, counter, since)
      do update set until = excluded.until, served_at = excluded.served_at`,
  );
  await query(
    tx,
    fragment`delete from note_servings where notebook_id = ${notebookId}
      and served_at < ${now - NOTE_LIMITS.noteVersionsKeptMs}`,
  );
  await query(
    tx,
    fragment`delete from note_servings where ${ofKey(key)} and counter <= coalesce((
      select counter from note_servings where ${ofKey(key)}
      order by counter desc limit 1 offset ${NOTE_LIMITS.noteListsRememberedMax}), -1)`,
  );
}

/** Lists the responses with the text of a note, the oldest first. */
export async function listServings(
  db: Db,
  credential: Credential,
  { notebookId, noteId }: { notebookId: number; noteId: number },
): Promise<readonly Serving[]> {
  return query<{ counter: number; since: number; until: number }>(
    db,
    fragment`select counter, since, until from note_servings
      where account_id = ${credential.accountId} and credential = ${credential.name}
        and notebook_id = ${notebookId} and note_id in (0, ${noteId})
      order by counter`,
  );
}

export async function findSent(
  db: Db,
  { accountId, name }: Credential,
  noteId: number,
): Promise<SentVersion | undefined> {
  return queryFirst<{ counter: number; oid: Oid; title: string; category: string }>(
    db,
    fragment`select counter, oid, title, category from note_sent
      where account_id = ${accountId} and credential = ${name} and note_id = ${noteId}`,
  );
}

export async function setSent(
  tx: Tx,
  { accountId, name }: Credential,
  noteId: number,
  { counter, oid, title, category }: SentVersion,
): Promise<void> {
  await query(
    tx,
    fragment`insert into note_sent (account_id, credential, note_id, counter, oid, title, category)
      values (${accountId}, ${name}, ${noteId}, ${counter}, ${oid}, ${title}, ${category})
      on conflict (account_id, credential, note_id) do update set
        counter = excluded.counter, oid = excluded.oid, title = excluded.title, category = excluded.category`,
  );
}
