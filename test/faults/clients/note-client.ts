import { randomBytes } from 'node:crypto';
import type { Answer } from '../../support/http/http.ts';
import type { Ledger } from '../ledger.ts';
import { type Client, OWNER, type Target } from './client.ts';

const NOTES = '/index.php/apps/notes/api/v1/notes';
const CATEGORY = 'work';
/** URL of the notes as files of their repository. */
const FILES = `/api/v1/repos/${OWNER}/Notes/raw/${CATEGORY}`;
const NOTES_MAX = 5;
const WORD_BYTES = 8;

/** A note as its writer last saw it. */
interface KnownNote {
  readonly id: number;
  readonly title: string;
  etag: string;
  content: string;
}

/** An unanswered save. `note` is undefined for a new note. */
interface PendingSave {
  readonly note: KnownNote | undefined;
  readonly content: string;
}

/** Creates a few notes and saves them repeatedly. */
export class NoteSaver implements Client {
  readonly #ledger: Ledger;
  readonly #notes: KnownNote[] = [];
  #pending: PendingSave | undefined;
  #step = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async step(target: Target): Promise<void> {
    this.#step += 1;
    const note = this.#notes.length < NOTES_MAX ? undefined : this.#notes[this.#step % NOTES_MAX];
    await this.#save(target, { note, content: `text ${randomBytes(WORD_BYTES).toString('hex')}` });
  }

  async #save(target: Target, save: PendingSave): Promise<Answer | undefined> {
    const { note, content } = save;
    const { outcome, answer } =
      note === undefined
        ? await target.change('POST', NOTES, { json: { title: content, content, category: CATEGORY } })
        : await target.change('PUT', `${NOTES}/${note.id}`, {
            json: { content },
            headers: { 'if-match': `"${note.etag}"` },
          });
    this.#pending = outcome === 'acknowledged' ? undefined : save;
    if (outcome === 'acknowledged') this.#acknowledge(save, answer?.body);
    if (outcome === 'rejected' && answer?.status !== 412) {
      target.problems.push(`a note was rejected: ${answer?.status} ${answer?.text}`);
    }
    return answer;
  }

  #acknowledge({ note, content }: PendingSave, saved: { id: number; title: string; etag: string }): void {
    this.#ledger.acknowledged += 1;
    const { id, title, etag } = saved;
    if (note === undefined) this.#notes.push({ id, title, etag, content });
    else Object.assign(note, { etag: saved.etag, content });
  }

  async retry(target: Target): Promise<void> {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#ledger.retried += 1;
    const created =
      pending.note === undefined ? await this.#findByContent(target, pending.content) : undefined;
    const answer = created === undefined ? await this.#save(target, pending) : undefined;
    if (created === undefined && this.#pending === undefined) return;
    // A 412 contains the current note. If the save happened before the crash, that is the sent note.
    const current = created ?? (answer?.status === 412 ? answer.body : undefined);
    if (current?.content !== pending.content) {
      throw new Error(`the retry of a note failed: ${answer?.status} ${answer?.text}`);
    }
    this.#pending = undefined;
    this.#acknowledge(pending, current);
  }

  /** Finds a new note by its content, because its id is not known yet. */
  async #findByContent(target: Target, content: string) {
    const all = (await target.send('GET', NOTES))?.body as KnownNote[];
    return all.find((note) => note.content === content);
  }

  async lost(target: Target): Promise<readonly string[]> {
    const answer = await target.send('GET', NOTES);
    if (answer?.status !== 200) return [`the list of notes returned ${answer?.status}`];
    const found = new Map((answer.body as KnownNote[]).map(({ id, content }) => [id, content]));
    const listed = this.#notes.flatMap((note) => this.#differences(note, found.get(note.id)));
    const some = this.#notes[this.#step % NOTES_MAX];
    if (some === undefined) return listed;
    const file = await target.send('GET', `${FILES}/${encodeURIComponent(some.title)}.md`);
    return [...listed, ...this.#differences(some, file?.text)];
  }

  #differences(note: KnownNote, content: string | undefined): readonly string[] {
    const isPending = this.#pending?.note === note && content === this.#pending.content;
    if (content === note.content || isPending) return [];
    return [`note ${note.id} has ${content}, not ${note.content}`];
  }
}

/** Whether this server offers notes. */
export async function hasNotes(target: Target): Promise<boolean> {
  return (await target.send('GET', NOTES))?.status === 200;
}
