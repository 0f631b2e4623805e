import type { Person, TestForge } from '../../support/forge/forge.ts';
import { codeOf, forgetUsedCodes, withCodes } from '../../support/forge/second-factor.ts';
import { createClient, type TestClient, tokensFor } from '../../support/http/oauth.ts';
import { fieldIn, PageReader } from '../../support/http/page-reader.ts';

/** What a user of the tables has besides a password. */
export type FactorState = 'no second factor' | 'a second factor' | 'needs a second factor';

/** The browsers of people, one for each person, and the OAuth2 tokens that they have granted. */
export class Browsers {
  readonly #forge: TestForge;
  readonly #readers = new Map<string, Promise<PageReader>>();
  readonly #tokens = new Map<string, Promise<string>>();
  /** secrets of one-time codes, by name */
  readonly #secrets = new Map<string, string>();
  #client: Promise<TestClient> | undefined;

  constructor(forge: TestForge) {
    this.#forge = forge;
  }

  /** Returns the browser of a person, who has signed in with all that the account needs. */
  of(person: Person): Promise<PageReader> {
    const reader = this.#readers.get(person.name) ?? this.#signIn(person);
    this.#readers.set(person.name, reader);
    return reader;
  }

  /** Drops the browser of a person whose session has ended. */
  forget({ name }: Person): void {
    this.#readers.delete(name);
  }

  /** Returns an OAuth2 token of a person, one for each list of scopes. */
  tokenFor(person: Person, scopes: readonly string[]): Promise<string> {
    const key = `${person.name} ${scopes}`;
    const token = this.#tokens.get(key) ?? this.#grant(person, scopes);
    this.#tokens.set(key, token);
    return token;
  }

  /** Gives a person a second factor, or takes it from them. Their browsers sign in again. */
  async change(person: Person, state: FactorState): Promise<void> {
    this.forget(person);
    this.#secrets.delete(person.name);
    await this.#forge.root.delete(`/api/v1/admin/users/${person.name}/second-factor`);
    const needs = state === 'needs a second factor' ? 1 : 0;
    await this.#forge.forge.running.engines.database.transaction((tx) =>
      tx
        .updateTable('accounts')
        .set({ needs_second_factor: needs })
        .where('name', '=', person.name)
        .execute(),
    );
    if (state !== 'a second factor') return;
    const { secret } = await withCodes(this.#forge, person);
    this.#secrets.set(person.name, secret);
  }

  async #signIn({ name, password }: Person): Promise<PageReader> {
    const reader = new PageReader(this.#forge);
    const secret = this.#secrets.get(name);
    if (secret === undefined) {
      await reader.signIn({ name, password });
      return reader;
    }
    const { text } = await reader.post('/user/login', { user_name: name, password });
    await forgetUsedCodes(this.#forge);
    const sent = { pending: fieldIn(text, 'pending'), code: codeOf(secret) };
    const { status } = await reader.post('/user/two_factor', sent);
    if (status !== 303) throw new Error(`${name} cannot sign in with a second factor: ${status}`);
    return reader;
  }

  async #grant(person: Person, scopes: readonly string[]): Promise<string> {
    this.#client ??= createClient(this.#forge.root);
    const reader = new PageReader(this.#forge);
    await reader.signIn(person);
    const { access } = await tokensFor(this.#forge, await this.#client, { reader, scope: scopes.join(' ') });
    return access;
  }
}
