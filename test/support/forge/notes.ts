import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { NOTE_LIMITS } from '../../../src/notes/notebooks/limits.ts';
import { git, temporaryFolder } from '../git/git.ts';
import type { Answer, SendOptions } from '../http/http.ts';
import type { Person, TestForge } from './forge.ts';

export const NOTES_API = '/index.php/apps/notes/api';
const NOTES = `${NOTES_API}/v1/notes`;

export interface NoteRecord {
  readonly id: number;
  readonly title: string;
  readonly modified: number;
  readonly category: string;
  readonly favorite: boolean;
  readonly readonly: boolean;
  readonly content: string;
  readonly etag: string;
  readonly internalPath: string;
  readonly error: boolean;
}

/** A user's notes app. It signs in with the password, or with an app password, as real apps do. */
export class NotesApp {
  readonly #forge: TestForge;
  readonly #person: Person;
  readonly #password: string;

  constructor(forge: TestForge, person: Person, appPassword?: string) {
    this.#forge = forge;
    this.#person = person;
    this.#password = appPassword ?? person.password;
  }

  send(method: string, path = '', options: SendOptions = {}): Promise<Answer> {
    const { name } = this.#person;
    const password = this.#password;
    return this.#forge.send(method, `${NOTES}${path}`, { as: { name, password }, ...options });
  }

  async list(query = ''): Promise<readonly NoteRecord[]> {
    return bodyOf(await this.send('GET', query));
  }

  async note(id: number): Promise<NoteRecord> {
    return bodyOf(await this.send('GET', `/${id}`));
  }

  async create(note: object): Promise<NoteRecord> {
    return bodyOf(await this.send('POST', '', { json: note }));
  }

  async update(id: number, edit: object): Promise<NoteRecord> {
    return bodyOf(await this.send('PUT', `/${id}`, { json: edit }));
  }

  async remove(id: number): Promise<void> {
    assert.deepEqual(bodyOf(await this.send('DELETE', `/${id}`)), []);
  }

  /** Lists all notes by title. */
  async byTitle(): Promise<ReadonlyMap<string, NoteRecord>> {
    return new Map((await this.list()).map((note) => [note.title, note]));
  }

  /** Clones the repository that holds the notes. */
  async clone(t: TestContext): Promise<string> {
    const folder = await temporaryFolder(t);
    await git(folder, ['clone', '-q', this.#person.remote(`${this.#person.name}/Notes`), '.']);
    return folder;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
function bodyOf(answer: Answer): any {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  return answer.body;
}

/** Commits everything in the folder and pushes it. */
export async function pushAll(folder: string, ...options: readonly string[]): Promise<void> {
  await git(folder, ['add', '-A']);
  await git(folder, ['commit', '-q', '-m', 'By hand']);
  await git(folder, ['push', '-q', ...options, 'origin', 'HEAD:main']);
}

/** A text above the size limit of a note. */
export const TOO_LONG = 'x'.repeat(NOTE_LIMITS.noteBytesMax + 1);
