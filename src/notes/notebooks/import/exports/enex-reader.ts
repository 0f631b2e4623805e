import { Parser } from 'htmlparser2';
import { NOTE_LIMITS } from '../../limits.ts';
import { NotTakenError, type SourceFile } from '../model.ts';

/** A file inside a note of Evernote. */
export interface EnexResource {
  readonly content: Buffer;
  readonly mediaType: string;
  /** '' if it has none */
  readonly fileName: string;
}

interface EnexTask {
  readonly title: string;
  readonly isDone: boolean;
}

/** A note of Evernote, as the export has it. */
export interface EnexNote {
  readonly title: string;
  /** in ENML */
  readonly content: string;
  /** such as 20200131T101500Z */
  readonly created: string;
  readonly updated: string;
  readonly tags: readonly string[];
  readonly source: string;
  readonly hasReminder: boolean;
  /** checklist items, which are not in the content */
  readonly tasks: readonly EnexTask[];
  readonly resources: readonly EnexResource[];
  /** The note does not fit into memory, and only its title and times are here. */
  readonly isTooLarge: boolean;
}

/** Elements whose text is collected, by their path in the note. */
const FIELDS = {
  title: 'title',
  content: 'content',
  created: 'created',
  updated: 'updated',
  tag: 'tag',
  'note-attributes/source-url': 'source',
  'note-attributes/reminder-time': 'reminder',
  'task/title': 'task',
  'task/taskStatus': 'task-status',
  'resource/data': 'data',
  'resource/mime': 'mime',
  'resource/resource-attributes/file-name': 'file-name',
} as const;
type Field = (typeof FIELDS)[keyof typeof FIELDS];
/** `en-export`, `note`, and the longest path of a field */
const FIELD_DEPTH_MAX = 5;

/**
 * Reads the notes of an export of Evernote, one after the other. Only one note is in memory.
 *
 * @throws NotTakenError
 * @see https://evernote.com/blog/how-evernotes-xml-export-format-works
 */
export async function* readEnex(file: SourceFile): AsyncGenerator<EnexNote, void> {
  const reader = new EnexReader();
  const decoder = new TextDecoder();
  for await (const piece of file.pieces()) yield* reader.write(decoder.decode(piece, { stream: true }));
  yield* reader.write(decoder.decode());
  reader.end();
}

/** A note that is being read. */
class OpenNote {
  readonly #texts = new Map<Field, string>();
  readonly #tags: string[] = [];
  readonly #tasks: EnexTask[] = [];
  readonly #resources: EnexResource[] = [];
  isTooLarge = false;

  set(field: Field, text: string): void {
    if (field === 'tag') this.#tags.push(text);
    else this.#texts.set(field, text);
  }

  endTask(): void {
    const isDone = this.#take('task-status').trim() === 'completed';
    this.#tasks.push({ title: this.#take('task').trim(), isDone });
  }

  endResource(): void {
    const content = Buffer.from(this.#take('data'), 'base64');
    const resource = { content, mediaType: this.#take('mime'), fileName: this.#take('file-name') };
    if (!this.isTooLarge) this.#resources.push(resource);
  }

  done(): EnexNote {
    return {
      title: this.#take('title').trim(),
      content: this.#take('content'),
      created: this.#take('created'),
      updated: this.#take('updated'),
      tags: this.#tags,
      source: this.#take('source'),
      hasReminder: this.#take('reminder') !== '',
      tasks: this.#tasks,
      resources: this.#resources,
      isTooLarge: this.isTooLarge,
    };
  }

  #take(field: Field): string {
    const text = this.#texts.get(field) ?? '';
    this.#texts.delete(field);
    return text;
  }
}

class EnexReader {
  readonly #parser: Parser;
  readonly #path: string[] = [];
  #note: OpenNote | undefined;
  #done: EnexNote[] = [];
  #text: string[] = [];
  #chars = 0;
  /** characters since the last element or text, which the parser keeps */
  #unread = 0;
  #hasBegun = false;

  constructor() {
    this.#parser = new Parser(
      {
        onopentag: (name) => this.#open(name),
        ontext: (text) => this.#add(text),
        onclosetag: () => this.#close(),
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  /** Reads a part of the file, and returns the notes that end in it. */
  write(text: string): readonly EnexNote[] {
    this.#unread += text.length;
    this.#parser.write(text);
    if (this.#unread > NOTE_LIMITS.importNoteCharsMax) throw new NotTakenError('a part of it is too large');
    const done = this.#done;
    this.#done = [];
    return done;
  }

  /** @throws NotTakenError if the file has no notes, or ends too early */
  end(): void {
    if (!this.#hasBegun) throw new NotTakenError('it is not an export of Evernote');
    if (this.#path.length > 0) throw new NotTakenError('it ends too early: the rest is not imported');
  }

  /** The field of the innermost element. */
  get #field(): Field | undefined {
    if (this.#path.length > FIELD_DEPTH_MAX) return undefined;
    return FIELDS[this.#path.slice(2).join('/') as keyof typeof FIELDS];
  }

  #open(name: string): void {
    this.#unread = 0;
    this.#path.push(name);
    if (name === 'en-export') this.#hasBegun = true;
    if (name === 'note' && this.#path.length === 2) {
      this.#note = new OpenNote();
      this.#chars = 0;
    }
    this.#text = [];
  }

  #add(text: string): void {
    this.#unread = 0;
    if (this.#note === undefined || this.#field === undefined) return;
    this.#chars += text.length;
    if (this.#chars > NOTE_LIMITS.importNoteCharsMax) this.#note.isTooLarge = true;
    else this.#text.push(text);
  }

  #close(): void {
    const note = this.#note;
    const field = this.#field;
    if (note !== undefined && field !== undefined) note.set(field, this.#text.join(''));
    this.#text = [];
    const name = this.#path.pop();
    if (note === undefined) return;
    if (name === 'task' && this.#path.length === 2) note.endTask();
    if (name === 'resource' && this.#path.length === 2) note.endResource();
    if (name !== 'note' || this.#path.length !== 1) return;
    this.#done.push(note.done());
    this.#note = undefined;
  }
}
