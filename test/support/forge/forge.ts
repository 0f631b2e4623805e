import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { type Forge, type ForgeOptions, startForge as start } from '../../../testing/index.ts';
import { afterTest } from '../after-test.ts';
import { type Answer, type Credentials, request, type SendOptions } from '../http/http.ts';
import { makePlace } from './forge-place.ts';
import { type Started, type TakenForge, takeForge } from './kept-forges.ts';

/** A user with a token for all scopes, who sends requests to the forge. */
export class Person {
  readonly name: string;
  readonly password: string;
  readonly token: string;
  readonly #forge: TestForge;

  constructor(forge: TestForge, account: { name: string; password: string; token: string }) {
    this.#forge = forge;
    this.name = account.name;
    this.password = account.password;
    this.token = account.token;
  }

  send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    return this.#forge.send(method, path, { as: { token: this.token }, ...options });
  }

  get(path: string, options?: SendOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send('POST', path, { json: body });
  }

  put(path: string, body?: unknown): Promise<Answer> {
    return this.send('PUT', path, { json: body });
  }

  patch(path: string, body?: unknown): Promise<Answer> {
    return this.send('PATCH', path, { json: body });
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.send('DELETE', path, { json: body });
  }

  /** Creates a repository and returns its record. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
  async repository(name: string, options: Record<string, unknown> = {}): Promise<any> {
    const created = await this.post('/api/v1/user/repos', { name, ...options });
    if (created.status !== 201)
      throw new Error(`cannot create repository ${name}: ${created.status} ${created.text}`);
    return created.body;
  }

  /** Creates a token with only these scopes. */
  async tokenFor(scopes: readonly string[]): Promise<string> {
    const created = await this.#forge.send('POST', `/api/v1/users/${this.name}/tokens`, {
      as: { name: this.name, password: this.password },
      json: { name: `t-${randomBytes(6).toString('hex')}`, scopes },
    });
    if (created.status !== 201) throw new Error(`cannot create a token: ${created.status} ${created.text}`);
    return created.body.sha1;
  }

  /** Returns a clone URL with the token. */
  remote(path: string): string {
    const url = new URL(this.#forge.url);
    url.username = this.name;
    url.password = this.token;
    return `${url.href}${path}.git`;
  }
}

/** A running forge and its users. */
export class TestForge {
  #server: Pick<TakenForge, 'forge' | 'stopAfterTest'> | undefined;
  readonly url: string;
  readonly root: Person;
  /** flags of a command that works on the data of the forge */
  readonly flags: readonly string[];

  constructor(forge: Forge, databaseUrl?: string, stopAfterTest = () => {}) {
    this.#server = { forge, stopAfterTest };
    this.url = forge.url;
    const database = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    this.flags = ['--data', forge.dataFolder, ...database];
    this.root = new Person(this, forge.admin);
  }

  get forge(): Forge {
    return this.#running().forge;
  }

  /** Keeps it from other tests, because this one changes the running server in a way that nothing undoes. */
  stopAfterTest(): void {
    this.#running().stopAfterTest();
  }

  /**
   * Lets go of the server at the end of the test. node:test keeps the function of each test until the process ends, and
   * with it what an inner test uses of the one around it.
   */
  forget(): void {
    this.#server = undefined;
  }

  #running(): Pick<TakenForge, 'forge' | 'stopAfterTest'> {
    if (this.#server === undefined) throw new Error('the test that started this forge has ended');
    return this.#server;
  }

  /** Sends a request, anonymous by default. */
  send(method: string, path: string, options: SendOptions & { as?: Credentials } = {}): Promise<Answer> {
    return request(method, `${this.url}${path}`, options);
  }

  get(path: string, options?: SendOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  /** Returns the id of its first repository. */
  async firstRepository(): Promise<number> {
    const [id] = await this.forge.running.engines.git.refs.list();
    if (id === undefined) throw new Error('the forge has no repository');
    return id;
  }

  /** Creates an account and a token for all scopes. */
  async account(name: string, options: Record<string, unknown> = {}): Promise<Person> {
    const password = `pw-${randomBytes(9).toString('hex')}`;
    const created = await this.root.post('/api/v1/admin/users', {
      username: name,
      email: `${name.toLowerCase()}@example.org`,
      password,
      must_change_password: false,
      ...options,
    });
    if (created.status !== 201)
      throw new Error(`cannot create account ${name}: ${created.status} ${created.text}`);
    const { accounts, tokens } = this.forge.running.services;
    const account = await accounts.findByName(name);
    if (account === undefined) throw new Error(`no account ${name}`);
    const { token } = await tokens.createFor(account, { name: 'everything', scopes: ['all'] });
    return new Person(this, { name, password, token });
  }
}

export interface TestForgeOptions extends ForgeOptions {
  /** whether no test has used it before: for tests that compare ids, or what a server counts or remembers */
  readonly fresh?: boolean;
}

/**
 * Starts a forge for one test, on the database of the current pass. If it has no options besides settings, and need not be
 * fresh, an earlier test may have used it: it has the rows and files of its start, but its ids count on.
 */
export async function startForge(
  t: TestContext,
  { fresh = false, ...options }: TestForgeOptions = {},
): Promise<TestForge> {
  const { settings, ...others } = options;
  const isKept = isInRun() && !fresh && Object.keys(others).length === 0;
  const { forge, place, stopAfterTest, release } = isKept
    ? await takeForge(settings, () => startAt(options))
    : await takeFresh(options);
  const started = new TestForge(forge, options.databaseUrl ?? place.options.databaseUrl, stopAfterTest);
  afterTest(t, () => {
    started.forget();
    return release();
  });
  return started;
}

/** At its end, a run removes its databases and folders. Nothing else would remove those of forges that are kept. */
function isInRun(): boolean {
  return process.env.QUIRE_TEST_RUN !== undefined;
}

async function startAt(options: ForgeOptions): Promise<Started> {
  const place = await makePlace(options);
  return { forge: await start({ ...place.options, ...options }), place };
}

async function takeFresh(options: ForgeOptions): Promise<TakenForge> {
  const { forge, place } = await startAt(options);
  return {
    forge,
    place,
    stopAfterTest: () => {},
    async release() {
      await forge.stop();
      await place.remove();
    },
  };
}
