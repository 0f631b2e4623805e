import type { SignedIn } from '../../../api/access/viewer.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid } from '../../../git/format/model.ts';
import { credentialOf, writerOf } from '../credentials.ts';
import { NOTE_LIMITS } from '../limits.ts';
import type { Note, NoteEdit, NoteVersion, SentVersion } from '../model.ts';
import { categoryOf, suffixOf, titleOf } from '../names.ts';
import { findSent, listServings, listVersions, type Serving } from '../store/versions.ts';
import { readNoteText } from '../text/text.ts';
import type { Sent } from './changes.ts';
import { distance } from './distance.ts';
import { storable } from './edits.ts';
import type { NotebookVersion } from './save.ts';

/** An edit to apply to the current note, and what the client sent. */
interface Reconciled {
  readonly edit: NoteEdit;
  readonly sent: Sent;
}

/** Applies an edit of the current version as it was sent. */
export function asExpected(note: Note, edit: NoteEdit): Reconciled {
  return { edit, sent: { version: sentVersionOf(note, edit), side: null } };
}

/** A version that the client had, and so may have edited. */
interface Candidate {
  /** counter of the notebook at the change that made this version */
  readonly counter: number;
  /** a commit that contains this version */
  readonly commit: Oid | null;
  readonly path: string;
  readonly oid: Oid;
  readonly title: string;
  readonly category: string;
}

/** Merges edits of older versions of notes with edits that other clients have made since. */
export class Merging {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /**
   * Compares an edit with the versions that its credential knows. If no one else has changed the note since, the edit
   * is applied as it was sent. Otherwise it is merged: the text by lines; title, category and favorite each as a whole.
   * The base of the merge is the version that differs least from the sent text. The candidates are the last version
   * that this credential sent, or else the oldest version that it received, and all versions that it received later.
   *
   * @throws ForgeError `invalid`, `too_large`, `busy`
   */
  async reconcile(
    viewer: SignedIn,
    version: NotebookVersion,
    note: Note,
    edit: NoteEdit,
  ): Promise<Reconciled> {
    const asSent = asExpected(note, edit);
    // A client that sends no text has chosen each field that it sends.
    if (edit.content === undefined || note.problem !== null) return asSent;
    const sent = await findSent(this.#database.reader, credentialOf(viewer), note.id);
    // The usual case: no other device has written the note since.
    if (sent?.counter === note.counter && sent.oid === note.oid) return asSent;
    const history = await listVersions(this.#database.reader, note.id);
    const candidates = await this.#candidatesOf(viewer, version, { note, sent, history });
    const [first] = candidates;
    if (first === undefined) return asSent;
    const self = writerOf(credentialOf(viewer));
    const versions = [...history, note];
    const isAlone = versions.every(
      ({ counter, writtenBy }) => counter <= first.counter || writtenBy === self,
    );
    // The note may never have had the text that the client sent, because that was merged. The client may not have
    // received the result.
    const wasAsSent = versions.some(({ counter, oid }) => counter === first.counter && oid === first.oid);
    if (isAlone && wasAsSent) return asSent;

    const text = storable(edit.content);
    const base = await nearest(version, candidates, text);
    if (base === undefined) return asSent;
    const content = await mergeContents(version, { base: base.text, current: note.content, sent: text });
    const toggled = history.filter(
      ({ counter, toggledFavoriteOf }) =>
        counter >= base.candidate.counter && toggledFavoriteOf === viewer.accountId,
    );
    const wasFavorite = note.isFavorite !== (toggled.length % 2 === 1);
    const { commit, path, title, category } = base.candidate;
    const isMerged = content !== text && commit !== null;
    return {
      edit: {
        ...edit,
        content,
        title: titleFor(note, edit) === title ? undefined : edit.title,
        category:
          edit.category !== undefined && categoryOf(edit.category) === category ? undefined : edit.category,
        isFavorite: edit.isFavorite === wasFavorite ? undefined : edit.isFavorite,
        modifiedAt: content === text ? edit.modifiedAt : undefined,
      },
      sent: { ...asSent.sent, side: isMerged ? { on: commit, path, content: text } : null },
    };
  }

  /** Lists the versions that the edit may have been made from, the oldest first. */
  async #candidatesOf(
    viewer: SignedIn,
    { open }: NotebookVersion,
    known: { note: Note; sent: SentVersion | undefined; history: readonly NoteVersion[] },
  ): Promise<readonly Candidate[]> {
    const { note, sent, history } = known;
    const key = { notebookId: open.notebook.id, noteId: note.id };
    const servings = await listServings(this.#database.reader, credentialOf(viewer), key);
    const versions: readonly (Candidate & { readonly lastUpdateAt: number })[] = [
      ...history,
      { ...note, commit: open.notebook.indexedCommit },
    ];
    const served = versions.filter((version, index) => wasServed(version, versions[index + 1], servings));
    if (sent === undefined) return newest(served);
    // The version in the response to the sent text counts as received.
    const later = served.filter(({ counter }) => counter > sent.counter);
    const own = versions.filter(({ counter }) => counter === sent.counter);
    return newest([sentCandidate(sent, own[0]), ...own, ...later]);
  }
}

/** Selects the oldest version and the newest ones, as many as may be compared. */
function newest<T>([first, ...later]: readonly T[]): readonly T[] {
  return first === undefined ? [] : [first, ...later.slice(-(NOTE_LIMITS.noteVersionsComparedMax - 1))];
}

/** The sent text as a candidate. The commit that it led to has it in its history. */
function sentCandidate(sent: SentVersion, own: Candidate | undefined): Candidate {
  return { ...sent, commit: own?.commit ?? null, path: own?.path ?? '' };
}

function wasServed(
  { counter, lastUpdateAt }: { readonly counter: number; readonly lastUpdateAt: number },
  next: { readonly counter: number } | undefined,
  servings: readonly Serving[],
): boolean {
  return servings.some(
    (serving) =>
      counter <= serving.counter &&
      (next === undefined || serving.counter < next.counter) &&
      serving.since <= lastUpdateAt &&
      lastUpdateAt <= serving.until,
  );
}

/** Finds the version that differs least from a text. If several differ as little, returns the oldest of them. */
async function nearest(
  { source }: NotebookVersion,
  candidates: readonly Candidate[],
  text: string,
): Promise<{ readonly candidate: Candidate; readonly text: string } | undefined> {
  let best: { candidate: Candidate; text: string; distance: number } | undefined;
  for (const candidate of candidates) {
    // The object may have been deleted after a forced push.
    if ((await source.objects.info(candidate.oid)) === undefined) continue;
    const { content } = await readNoteText(source.objects, candidate.oid);
    if (content === null) continue;
    const found = distance(withLineFeeds(content), withLineFeeds(text));
    if (best === undefined || found < best.distance) best = { candidate, text: content, distance: found };
  }
  return best;
}

/** Merges texts by lines. Ignores line ends, because some clients change all of them. */
async function mergeContents(
  { mergeTexts }: NotebookVersion,
  texts: { readonly base: string; readonly current: string; readonly sent: string },
): Promise<string> {
  const { current, sent } = texts;
  const [base, one, other] = [texts.base, current, sent].map(withLineFeeds) as [string, string, string];
  if (one === base || one === other) return sent;
  if (other === base) return current;
  // A line feed at the end of each text keeps the last line from being joined with another line.
  const [left, middle, right] = [one, base, other].map((text) => Buffer.from(`${text}\n`)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const merged = (await mergeTexts({ base: middle, current: left, other: right }))
    .toString()
    .replace(/\n$/, '');
  return storable(current.includes('\r\n') ? merged.replaceAll('\n', '\r\n') : merged);
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function titleFor(note: Note, { title }: NoteEdit): string {
  return title === undefined ? note.title : titleOf(title, suffixOf(note.path));
}

/** Returns the note as the client will know it after this edit. */
function sentVersionOf(note: Note, edit: NoteEdit): Sent['version'] {
  if (edit.content === undefined) return null;
  const category = edit.category === undefined ? note.category : categoryOf(edit.category);
  return { title: titleFor(note, edit), category };
}
