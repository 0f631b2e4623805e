import { randomBytes } from 'node:crypto';
import { ForgeError, isFailure } from '../../../base/core/failure.ts';
import { KeyedLock } from '../../../base/core/fairness/keyed-lock.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import type { LastCommits } from '../../../code/contents/last-commits/service.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { ObjectSource } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { IndexedNote, Notebook, NotebookLocation } from '../model.ts';
import { isUsualSuffix, pathOf } from '../names.ts';
import {
  advanceNotebook,
  countNotes,
  findNotebook,
  insertNotebook,
  listNotebooks,
  type NamedNotebook,
  type NotebookAndTip,
  setSuffixes,
} from '../store/notebooks.ts';
import {
  forgetDeletedAt,
  forgetDeletedBefore,
  insertNotes,
  leavePaths,
  listIndexedNotes,
  listNotesAt,
  markDeleted,
  type NewNote,
  setNotes,
} from '../store/notes.ts';
import { forgetSearchState } from '../store/search.ts';
import { storeVersions } from '../store/versions.ts';
import { type NotePlan, type PlannedNote, planNotes } from './plan.ts';
import { traceRenames } from './rename-trace.ts';
import { compareTrees, type FileChange, folderTree, type TreeSource } from './tree-changes.ts';

const INCARNATION_BYTES = 16;

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly lastCommits: LastCommits;
}

/** Updates the rows of notes to the commits of their notebook. */
export class NotebookIndex {
  readonly #use: Dependencies;
  /** One pass over a notebook at a time. Callers that have waited find the work done. */
  readonly #passes = new KeyedLock();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Updates a notebook to the current commit of its branch, or to a later one. If there was no push since, this takes
   * one query.
   *
   * @param options.suffix suffix of new notes, which becomes a suffix of the notebook
   * @throws ForgeError `busy` if the notebook cannot be read. Never returns a part of it, or an empty notebook
   */
  async catchUp(location: NotebookLocation, { suffix }: { suffix: string }): Promise<Notebook> {
    const found = await this.#find(location);
    if (found.notebook !== undefined && isCurrent(found) && knowsSuffix(found.notebook, suffix))
      return found.notebook;
    await this.#learnSuffix(location, suffix);
    return this.#passes.run(keyOf(location), () => this.#index(location, { isRebuild: false }));
  }

  /**
   * Rebuilds the rows from the files. Retains ids, and the times of notes whose file is unchanged.
   *
   * @throws ForgeError `busy`
   */
  async rebuild(location: NotebookLocation): Promise<Notebook> {
    return this.#passes.run(keyOf(location), () => this.#index(location, { isRebuild: true }));
  }

  /** @param accountId lists only the notebook of this account; null: all notebooks */
  list(accountId: number | null): Promise<readonly NamedNotebook[]> {
    return listNotebooks(this.#use.database.reader, accountId);
  }

  count(notebookId: number): Promise<number> {
    return countNotes(this.#use.database.reader, notebookId);
  }

  async #find(location: NotebookLocation): Promise<NotebookAndTip> {
    const found = await findNotebook(this.#use.database.reader, location);
    if (found === undefined) throw unreadable('its repository is gone');
    return found;
  }

  async #index(location: NotebookLocation, options: { isRebuild: boolean }): Promise<Notebook> {
    let isDone = !options.isRebuild;
    for (let attempt = 1; attempt <= NOTE_LIMITS.notebookIndexAttemptsMax; attempt += 1) {
      const found = await this.#find(location);
      const { notebook } = found;
      if (notebook === undefined) await this.#create(location);
      else if (isCurrent(found) && (isDone || found.tip === null)) return notebook;
      else isDone = (await asUnreadable(() => this.#pass(notebook, options))) || isDone;
    }
    throw unreadable('it keeps changing');
  }

  async #learnSuffix(location: NotebookLocation, suffix: string): Promise<void> {
    let found = await this.#find(location);
    if (found.notebook === undefined) {
      await this.#create(location);
      found = await this.#find(location);
    }
    const { notebook } = found;
    if (notebook === undefined || knowsSuffix(notebook, suffix)) return;
    const suffixes = [...notebook.suffixes, suffix].slice(-NOTE_LIMITS.suffixesPerNotebookMax);
    // If another request is faster, the next call does this.
    await this.#use.database.transaction((tx) => setSuffixes(tx, notebook, suffixes));
  }

  async #create(location: NotebookLocation): Promise<void> {
    const incarnation = randomBytes(INCARNATION_BYTES).toString('hex');
    await this.#use.database.transaction((tx) => insertNotebook(tx, location, incarnation));
  }

  /** @returns false if another request, in this or another process, has changed the notebook at the same time */
  async #pass(notebook: Notebook, options: { isRebuild: boolean }): Promise<boolean> {
    const snapshot = await this.#use.git.refs.open(notebook.repositoryId);
    const commit = snapshot.ref(snapshot.head);
    if (commit === undefined) throw unreadable('its branch is gone');
    const write = await this.prepare(snapshot, notebook, commit, options);
    return this.#use.database.transaction(write);
  }

  /**
   * Prepares the update of a notebook to a commit.
   *
   * @param options.filesMax gives up if more files differ
   * @returns a function to call in the transaction. It returns false, and changes nothing, if the notebook has changed
   *   since
   * @throws ForgeError `busy`, `not_found`
   */
  async prepare(
    objects: ObjectSource,
    notebook: Notebook,
    commit: Oid,
    { isRebuild, filesMax }: { isRebuild: boolean; filesMax?: number },
  ): Promise<(tx: Tx) => Promise<boolean>> {
    const plan = isRebuild
      ? await this.#planFromRows(objects, notebook, commit, isRebuild)
      : await this.#plan(objects, notebook, commit, filesMax);
    const times = await this.#timesOf(objects, notebook, commit, plan.written);
    return async (tx) => {
      const isOurs = await advanceNotebook(tx, notebook, commit);
      if (isOurs) await applyPlan(tx, notebook, plan, times);
      if (isOurs && isRebuild) await forgetSearchState(tx, notebook.id);
      return isOurs;
    };
  }

  async #plan(objects: ObjectSource, notebook: Notebook, commit: Oid, filesMax?: number): Promise<NotePlan> {
    const { folder, indexedCommit } = notebook;
    const source = sourceOf(objects, notebook);
    const changes = await changesSince(source, folder, [indexedCommit, commit], filesMax);
    // The indexed commit is missing, because a forced push has replaced it and a prune has deleted it.
    if (changes === undefined) return this.#planFromRows(objects, notebook, commit, false);
    const rows = await listNotesAt(
      this.#use.database.reader,
      notebook.id,
      changes.map(({ path }) => path),
    );
    const isRenaming = indexedCommit !== null && mayRename(changes);
    const renamed = isRenaming
      ? await traceRenames(source, folder, indexedCommit, commit)
      : new Map<string, string>();
    const files = new Map(
      changes.flatMap(({ path, after }) => (after === null ? [] : [[path, after] as const])),
    );
    return planNotes(source, { files, rows, renamed });
  }

  async #planFromRows(
    objects: ObjectSource,
    notebook: Notebook,
    commit: Oid,
    isRebuild: boolean,
  ): Promise<NotePlan> {
    const rows = await listIndexedNotes(this.#use.database.reader, notebook.id);
    const source = sourceOf(objects, notebook);
    const tree = await folderTree(source, commit, notebook.folder);
    const found = new Map((await compareTrees(source, null, tree)).map(({ path, after }) => [path, after]));
    const isSame = (row: IndexedNote) => !isRebuild && !row.isDeleted && found.get(row.path) === row.oid;
    const same = new Set(rows.filter(isSame).map((row) => row.path));
    const files = new Map(
      [...found].flatMap(([path, oid]) => (oid === null || same.has(path) ? [] : [[path, oid] as const])),
    );
    return planNotes(source, {
      files,
      rows: rows.filter((row) => !same.has(row.path)),
      renamed: new Map(),
    });
  }

  /** Returns path → time of the content, ms, for notes whose content differs from their row. */
  async #timesOf(
    objects: ObjectSource,
    notebook: Notebook,
    commit: Oid,
    written: readonly PlannedNote[],
  ): Promise<ReadonlyMap<string, number>> {
    const names = new Map<string, string[]>();
    for (const { note, oid, notePath } of written) {
      if (note?.oid === oid) continue;
      const known = names.get(notePath.category);
      const name = notePath.path.slice(notePath.path.lastIndexOf('/') + 1);
      if (known === undefined) names.set(notePath.category, [name]);
      else known.push(name);
    }
    const times = new Map<string, number>();
    for (const [category, some] of names) {
      const folder = [notebook.folder, category].filter((part) => part !== '').join('/');
      const last = await this.#use.lastCommits.find(objects, commit, folder, some);
      for (const [name, { seconds }] of last) times.set(pathOf(category, name), Math.max(0, seconds) * 1000);
    }
    return times;
  }
}

function knowsSuffix({ suffixes }: Notebook, suffix: string): boolean {
  return isUsualSuffix(suffix) || suffixes.includes(suffix);
}

function sourceOf({ objects, objectFormat }: ObjectSource, { suffixes }: Notebook): TreeSource {
  return { objects, objectFormat, suffixes };
}

function keyOf(location: NotebookLocation): string {
  return `${location.repositoryId}:${location.folder}`;
}

function isCurrent({ notebook, tip }: NotebookAndTip): boolean {
  return notebook !== undefined && notebook.indexedCommit === tip;
}

/** @returns undefined if the indexed tree is missing */
async function changesSince(
  source: TreeSource,
  folder: string,
  [indexed, commit]: readonly [indexed: Oid | null, commit: Oid],
  filesMax?: number,
): Promise<readonly FileChange[] | undefined> {
  const after = await folderTree(source, commit, folder);
  try {
    const before = indexed === null ? null : await folderTree(source, indexed, folder);
    return await compareTrees(source, before, after, filesMax);
  } catch (error) {
    const isGone = isFailure(error, 'not_found');
    if (isGone && indexed !== null) return undefined;
    throw error;
  }
}

function mayRename(changes: readonly FileChange[]): boolean {
  return changes.some(({ after }) => after === null) && changes.some(({ before }) => before === null);
}

/** Writes the notes of a plan, in the transaction that moves the notebook to the plan's commit. */
async function applyPlan(
  tx: Tx,
  notebook: Notebook,
  plan: NotePlan,
  times: ReadonlyMap<string, number>,
): Promise<void> {
  // Read under the notebook's lock, so every later list has a later time.
  const now = currentTimeMs();
  const changed = plan.written.map((planned) => ({
    id: planned.note?.id,
    planned,
    note: noteOf(notebook, planned, times, now),
  }));
  const moved = plan.written.filter(
    ({ note, notePath }) => note !== undefined && note.path !== notePath.path,
  );
  const ids = (notes: readonly IndexedNote[]) => notes.map(({ id }) => id);
  const replaced = changed.filter(({ planned }) => hasChanged(planned));
  await storeVersions(tx, notebook, [...ids(plan.gone), ...replaced.flatMap(({ id }) => id ?? [])]);
  await markDeleted(tx, ids(plan.gone), now);
  await leavePaths(tx, ids(moved.flatMap(({ note }) => note ?? [])));
  await forgetDeletedAt(
    tx,
    notebook.id,
    moved.map(({ notePath }) => notePath.path),
  );
  await setNotes(
    tx,
    notebook.id,
    replaced.flatMap(({ id, note }) => (id === undefined ? [] : [{ id, note }])),
  );
  await insertNotes(
    tx,
    notebook.id,
    changed.filter(({ id }) => id === undefined).map(({ note }) => note),
  );
  await forgetDeletedBefore(tx, notebook, now - NOTE_LIMITS.noteDeletedKeptMs);
}

function hasChanged({ note, notePath, oid, text }: PlannedNote): boolean {
  if (note === undefined || note.isDeleted) return true;
  const isSamePlace =
    note.path === notePath.path && note.title === notePath.title && note.category === notePath.category;
  return (
    !isSamePlace || note.oid !== oid || note.contentHash !== text.contentHash || note.content !== text.content
  );
}

function noteOf(
  notebook: Notebook,
  planned: PlannedNote,
  times: ReadonlyMap<string, number>,
  now: number,
): NewNote {
  const { note, notePath, oid, text } = planned;
  const isSame = note?.oid === oid;
  const modifiedAt = isSame ? note.modifiedAt : (times.get(notePath.path) ?? now);
  const counter = notebook.counter + 1;
  return { ...notePath, ...text, oid, modifiedAt, lastUpdateAt: now, counter, writtenBy: null };
}

export function unreadable(why: string): ForgeError {
  return new ForgeError({
    kind: 'busy',
    what: `the notebook cannot be read now: ${why}`,
    retryAfterSeconds: 30,
  });
}

/**
 * Turns `not_found` during the reading of a notebook into `busy`, because the notebook is unreadable, not empty or
 * absent.
 */
export async function asUnreadable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, 'not_found')) throw error;
    throw new ForgeError(unreadable(error.message).failure, { cause: error });
  }
}
