import type { SignedIn } from '../../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { asUnreadable } from '../index/notebook-index.ts';
import type { Notebooks } from '../index/notebooks.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { DeletedNote, Note, OpenNotebook } from '../model.ts';
import { notePathOf } from '../names.ts';
import type { Edited, Notes } from '../service.ts';
import { findDeletedNote, listDeletedNotes } from '../store/deleted.ts';
import { findNote } from '../store/notes.ts';
import { listVersions } from '../store/versions.ts';
import { readNoteText, shortHash } from '../text/text.ts';
import { listVersion } from '../versions.ts';
import { unchanged } from '../writing/changes.ts';
import type { NotebookWriter } from '../writing/save.ts';
import type { NoteVersionEntry, NoteVersionText, VersionStep } from './model.ts';
import { returnNote } from './restore.ts';
import type { WalkStart } from './walk.ts';
import { HistoryWalks } from './walks.ts';

/** A response that the caller may already have. Its version is known before anything is read. */
export interface Pending<T> {
  /** 32 hex digits */
  readonly version: string;
  read(): Promise<T>;
}

/** A part of a history. */
interface HistoryPage {
  readonly versions: readonly NoteVersionEntry[];
  readonly hasMore: boolean;
}

/** A note at the newest commit of its notebook. The note may be deleted. */
interface Traced {
  readonly start: WalkStart;
  /** the newest commit that changed it */
  readonly newest: Oid;
}

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly notebooks: Notebooks;
  readonly writer: NotebookWriter;
  readonly notes: Notes;
}

/** The histories of notes, read from git. */
export class NoteHistory {
  readonly #use: Dependencies;
  readonly #walks: HistoryWalks;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#walks = new HistoryWalks(dependencies);
  }

  /**
   * Lists the versions of a note, the newest first.
   *
   * @throws ForgeError `not_found`, `busy`, `forbidden`
   */
  async list(viewer: SignedIn, id: number, paging: Paging): Promise<Pending<HistoryPage>> {
    const traced = await this.#trace(viewer, id);
    const offset = offsetOf(paging);
    return {
      version: shortHash(JSON.stringify([traced.newest, traced.start.path, paging])),
      read: () =>
        asUnreadable(async () => {
          const end = offset + paging.limit;
          const steps = await this.#steps(traced, (known) => known.length > end);
          const versions: NoteVersionEntry[] = [];
          for (const step of steps.slice(offset, end)) versions.push(await entryOf(traced.start, step));
          return { versions, hasMore: steps.length > end };
        }),
    };
  }

  /** @throws ForgeError as `list`; `not_found` for a commit that is not a version of the note */
  async get(viewer: SignedIn, id: number, version: Oid): Promise<Pending<NoteVersionText>> {
    const traced = await this.#trace(viewer, id);
    const step = await this.#find(traced, version);
    const { start } = traced;
    return {
      version: shortHash(JSON.stringify(step)),
      read: () => asUnreadable(() => textOf(start, step)),
    };
  }

  /**
   * Compares two versions of a note.
   *
   * @param to undefined: the last version that has a text
   * @returns a unified diff
   * @throws ForgeError as `get`; `invalid` for a deletion, and for texts that are too large
   */
  async diff(
    viewer: SignedIn,
    id: number,
    versions: { readonly from: Oid; readonly to: Oid | undefined },
  ): Promise<Pending<string>> {
    const traced = await this.#trace(viewer, id);
    const from = await this.#find(traced, versions.from);
    const to = versions.to === undefined ? await this.#last(traced) : await this.#find(traced, versions.to);
    const { snapshot } = traced.start;
    return {
      version: shortHash(JSON.stringify([from, to])),
      read: async () => {
        const blobs = { from: blobOf(from), to: blobOf(to) };
        for (const oid of [blobs.from, blobs.to]) await requireComparable(snapshot.objects, oid);
        return `${headOf(from, to)}${await this.#use.git.history.compareBlobs(snapshot, blobs)}`;
      },
    };
  }

  /**
   * Restores the text, title and category of a note from a version. This is an ordinary edit, so it becomes the newest
   * version, and no version is lost. A deleted note is restored with its id.
   *
   * @param isExpected as in `Notes.edit`
   * @throws ForgeError as `get` and `Notes.edit`; `invalid` for a deletion or a version without text;
   *   `precondition_failed`
   */
  async restore(
    viewer: SignedIn,
    id: number,
    version: Oid,
    isExpected: ((version: string) => boolean) | undefined,
  ): Promise<Edited> {
    const traced = await this.#trace(viewer, id);
    const step = await this.#find(traced, version);
    const open = await this.#open(viewer);
    const deleted = await findDeletedNote(this.#use.database.reader, { id, notebookId: open.notebook.id });
    if (deleted !== undefined) {
      if (isExpected !== undefined) throw isGone();
      return this.#return(viewer, id, { ...notePathOf(step.path), oid: blobOf(step) });
    }
    const { content, title, category } = await textOf(traced.start, step);
    if (content === null) throw invalid('this version has no text that could be restored');
    // Without a version that it expects, the caller replaces whatever the note is now: nothing is merged.
    return this.#use.notes.edit(viewer, id, { title, category, content }, isExpected ?? (() => true));
  }

  /** Lists the deleted notes of the viewer, the last deleted first. */
  async listDeleted(viewer: SignedIn, paging: Paging): Promise<Pending<Page<DeletedNote>>> {
    const settings = await this.#use.notebooks.settingsOf(viewer);
    const open = await this.#use.notebooks.open(viewer, settings);
    const { accountId } = viewer;
    const notebook = open?.notebook ?? null;
    const state = { notebook, accountId, accountCounter: settings.counter, settings, isWritable: false };
    return {
      version: listVersion(state, { deleted: paging }),
      read: async () =>
        notebook === null
          ? { items: [], total: 0 }
          : listDeletedNotes(
              this.#use.database.reader,
              { notebookId: notebook.id, since: currentTimeMs() - NOTE_LIMITS.noteDeletedKeptMs },
              paging,
            ),
    };
  }

  /**
   * Restores a deleted note in its last version.
   *
   * @throws ForgeError `not_found`, `forbidden`, `busy`, `too_large`
   */
  async restoreDeleted(viewer: SignedIn, id: number): Promise<Note> {
    return (await this.#return(viewer, id, undefined)).note;
  }

  async #return(
    viewer: SignedIn,
    id: number,
    as: { readonly oid: Oid; readonly title: string; readonly category: string } | undefined,
  ): Promise<Edited> {
    const { result } = await this.#use.writer.write<'missing' | 'returned'>(viewer, async (version) => {
      const key = { id, notebookId: version.open.notebook.id };
      const note = await findDeletedNote(this.#use.database.reader, key);
      if (note === undefined) return unchanged('missing');
      return returnNote(viewer, version, { ...note, ...as, note }, 'returned');
    });
    if (result === 'missing') throw notFound('note');
    return { note: await this.#use.notes.get(viewer, id, { showsContent: true }), isApplied: true };
  }

  async #open(viewer: SignedIn): Promise<OpenNotebook> {
    const open = await this.#use.notebooks.open(viewer, await this.#use.notebooks.settingsOf(viewer));
    // Only a caller who may not create a notebook has none.
    if (open === undefined) throw notFound('note');
    return open;
  }

  async #trace(viewer: SignedIn, id: number): Promise<Traced> {
    const { notebook, repository } = await this.#open(viewer);
    const { reader } = this.#use.database;
    const key = { id, notebookId: notebook.id };
    const note =
      (await findNote(reader, { ...key, accountId: viewer.accountId })) ??
      (await findDeletedNote(reader, key));
    const commit = notebook.indexedCommit;
    if (note === undefined || commit === null) throw notFound('note');
    const known = await listVersions(reader, id);
    const snapshot = await asUnreadable(() => this.#use.git.refs.open(repository.id));
    const { objects, objectFormat } = snapshot;
    const source = { objects, objectFormat, suffixes: notebook.suffixes };
    const start = { snapshot, source, commit, folder: notebook.folder, path: note.path, known };
    const newest = await asUnreadable(() => this.#walks.newest(start));
    if (newest === undefined) throw notFound('note');
    return { start, newest };
  }

  #steps(
    { start, newest }: Traced,
    isEnough: (steps: readonly VersionStep[]) => boolean,
  ): Promise<readonly VersionStep[]> {
    return this.#walks.versions(start, newest, isEnough);
  }

  /** @throws ForgeError `not_found` */
  async #find(traced: Traced, version: Oid): Promise<VersionStep> {
    const isIt = ({ commit }: VersionStep) => commit === version;
    let seen = 0;
    const steps = await asUnreadable(() =>
      this.#steps(traced, (known) => {
        const isFound = known.slice(seen).some(isIt);
        seen = known.length;
        return isFound;
      }),
    );
    const step = steps.find(isIt);
    if (step === undefined) throw notFound('version');
    return step;
  }

  async #last(traced: Traced): Promise<VersionStep> {
    const hasText = ({ oid }: VersionStep) => oid !== null;
    const steps = await asUnreadable(() => this.#steps(traced, (known) => known.some(hasText)));
    const step = steps.find(hasText);
    if (step === undefined) throw notFound('version');
    return step;
  }
}

async function entryOf({ snapshot }: WalkStart, step: VersionStep): Promise<NoteVersionEntry> {
  const { objects } = snapshot;
  const { author, committer } = await objects.readCommit(step.commit);
  const info = step.oid === null ? undefined : await objects.info(step.oid);
  const { title, category } = notePathOf(step.path);
  return {
    ...step,
    title,
    category,
    sizeBytes: info?.sizeBytes ?? null,
    time: committer.seconds,
    author: { name: author.name, email: author.email },
  };
}

async function textOf(start: WalkStart, step: VersionStep): Promise<NoteVersionText> {
  const entry = await entryOf(start, step);
  if (step.oid === null) return { ...entry, content: null, problem: null };
  const { content, problem } = await readNoteText(start.snapshot.objects, step.oid);
  return { ...entry, content, problem };
}

/** @throws ForgeError `invalid` */
function blobOf({ oid }: VersionStep): Oid {
  if (oid === null) throw invalid('this version is the deletion of the note: name another one');
  return oid;
}

/** @throws ForgeError `invalid` */
async function requireComparable(objects: ObjectReader, oid: Oid): Promise<void> {
  const info = await objects.info(oid);
  if (info !== undefined && info.sizeBytes > NOTE_LIMITS.noteBytesMax)
    throw invalid('this version is too large to be compared');
}

/** Returns the lines before the hunks, in the form of git. */
function headOf(from: VersionStep, to: VersionStep): string {
  const [one, other] = [from.path, to.path].map((path) => path.replaceAll(/[\r\n]/g, ' '));
  const renamed = one === other ? '' : `rename from ${one}\nrename to ${other}\n`;
  const files = from.oid === to.oid ? '' : `--- a/${one}\n+++ b/${other}\n`;
  return from.oid === to.oid && one === other ? '' : `diff --git a/${one} b/${other}\n${renamed}${files}`;
}

function isGone(): ForgeError {
  return new ForgeError({ kind: 'precondition_failed', what: 'the note is deleted' });
}
