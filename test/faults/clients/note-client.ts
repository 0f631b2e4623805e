import { randomBytes } from 'node:crypto';
import type { Answer } from '../../support/http.ts';
import type { Ledger } from '../ledger.ts';
import { type Client, OWNER, type Target } from './client.ts';

const NOTES = '/index.php/apps/notes/api/v1/notes';
const CATEGORY = 'work';
/** The same notes as files of their repository. */
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

/** A save without a response. `note` is undefined for a new note. */
interface OpenSave {
  readonly note: KnownNote | undefined;
  readonly content: string;
}

/** Writes a few notes and saves them repeatedly. */
export class NoteSaver implements Client {
  readonly #ledger: Ledger;
  readonly #notes: KnownNote[] = [];
  #open: OpenSave | undefined;
  #step = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async step(target: Target): Promise<void> {
    this.#step += 1;
    const note = this.#notes.length < NOTES_MAX ? undefined : this.#notes[this.#step % NOTES_MAX];
    await this.#save(target, { note, content: `text ${randomBytes(WORD_BYTES).toString('hex')}` });
  }

  async #save(target: Target, save: OpenSave): Promise<Answer | undefined> {
    const { note, content } = save;
    const { outcome, answer } =
      note === undefined
        ? await target.change('POST', NOTES, { json: { title: content, content, category: CATEGORY } })
        : await target.change('PUT', `${NOTES}/${note.id}`, {
            json: { content },
            headers: { 'if-match': `"${note.etag}"` },
          });
    this.#open = outcome === 'acknowledged' ? undefined : save;
    if (outcome === 'acknowledged') this.#acknowledge(save, answer?.body);
    if (outcome === 'refused' && answer?.status !== 412) {
      target.problems.push(`a note is refused: ${answer?.status} ${answer?.text}`);
    }
    return answer;
  }

  #acknowledge({ note, content }: OpenSave, saved: { id: number; title: string; etag: string }): void {
    this.#ledger.acknowledged += 1;
    const { id, title, etag } = saved;
    if (note === undefined) this.#notes.push({ id, title, etag, content });
    else Object.assign(note, { etag: saved.etag, content });
  }

  async retry(target: Target): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#ledger.retried += 1;
    const made = open.note === undefined ? await this.#findMade(target, open.content) : undefined;
    const answer = made === undefined ? await this.#save(target, open) : undefined;
    if (made === undefined && this.#open === undefined) return;
    // 412 shows the current note: if the save happened before the crash, it is the sent one.
    const current = made ?? (answer?.status === 412 ? answer.body : undefined);
    if (current?.content !== open.content) {
      throw new Error(`a note cannot be saved again: ${answer?.status} ${answer?.text}`);
    }
    this.#open = undefined;
    this.#acknowledge(open, current);
  }

  /** A new note has no id to ask for yet. */
  async #findMade(target: Target, content: string) {
    const all = (await target.send('GET', NOTES))?.body as KnownNote[];
    return all.find((note) => note.content === content);
  }

  async lost(target: Target): Promise<readonly string[]> {
    const answer = await target.send('GET', NOTES);
    if (answer?.status !== 200) return [`the notes answer ${answer?.status}`];
    const found = new Map((answer.body as KnownNote[]).map(({ id, content }) => [id, content]));
    const listed = this.#notes.flatMap((note) => this.#unlike(note, found.get(note.id)));
    const some = this.#notes[this.#step % NOTES_MAX];
    if (some === undefined) return listed;
    const file = await target.send('GET', `${FILES}/${encodeURIComponent(some.title)}.md`);
    return [...listed, ...this.#unlike(some, file?.text)];
  }

  #unlike(note: KnownNote, content: string | undefined): readonly string[] {
    const isOpen = this.#open?.note === note && content === this.#open.content;
    if (content === note.content || isOpen) return [];
    return [`note ${note.id} has ${content}, not ${note.content}`];
  }
}

/** Whether this server offers notes. */
export async function hasNotes(target: Target): Promise<boolean> {
  return (await target.send('GET', NOTES))?.status === 200;
}
