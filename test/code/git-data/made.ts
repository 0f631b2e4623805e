import assert from 'node:assert/strict';
import type { Person } from '../../support/forge/forge.ts';

/** Makes git objects over the API, one call each, and returns their ids. */
export class ObjectMaker {
  readonly root: string;
  readonly #person: Person;

  constructor(person: Person, repository: string) {
    this.#person = person;
    this.root = `/api/v1/repos/${repository}/git`;
  }

  /** Sends a request that must succeed, and returns the body of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  async make(kind: string, body: unknown): Promise<any> {
    const made = await this.#person.post(`${this.root}/${kind}`, body);
    assert.equal(made.status, 201, `${kind}: ${made.text}`);
    return made.body;
  }

  async blob(content: string | Uint8Array): Promise<string> {
    const text = Buffer.from(content).toString('base64');
    return (await this.make('blobs', { content: text, encoding: 'base64' })).sha;
  }

  async tree(entries: readonly object[], base?: string): Promise<string> {
    return (await this.make('trees', { tree: entries, ...(base === undefined ? {} : { base_tree: base }) }))
      .sha;
  }

  async commit(tree: string, parents: readonly string[] = [], message = 'Made'): Promise<string> {
    return (await this.make('commits', { message, tree, parents })).sha;
  }

  /** A commit with one file. */
  async commitOf(path: string, content: string, parents: readonly string[] = []): Promise<string> {
    return this.commit(await this.tree([file(path, content)]), parents, `Write ${path}`);
  }
}

/** An entry of a new tree with its content. */
export function file(path: string, content: string, mode = '100644') {
  return { path, mode, content };
}

/** An entry of a new tree that names an object. */
export function named(path: string, sha: string | null, mode = '100644') {
  return { path, mode, sha };
}
