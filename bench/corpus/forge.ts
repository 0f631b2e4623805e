import { randomBytes } from 'node:crypto';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Credentials {
  readonly login: string;
  readonly token: string;
  /** null: unknown */
  readonly password: string | null;
}

/** A server with the Gitea/Forgejo API, and the account that sends the requests. */
export class Forge implements Credentials {
  readonly url: string;
  readonly login: string;
  readonly token: string;
  readonly password: string | null;
  /** prefix of the names of this run's repositories */
  readonly prefix = `bench-${randomBytes(3).toString('hex')}`;
  /** addresses in the API */
  readonly #made: string[] = [];

  constructor(url: string, credentials: Credentials) {
    this.url = url.replace(/\/$/, '');
    this.login = credentials.login;
    this.token = credentials.token;
    this.password = credentials.password;
  }

  get byToken(): Record<string, string> {
    return { authorization: `token ${this.token}` };
  }

  repositoryPath(name: string): string {
    return `/api/v1/repos/${this.login}/${name}`;
  }

  /** Returns the address of a repository for git, with the credentials to push. */
  remoteOf(name: string): string {
    const url = new URL(`${this.url}/${this.login}/${name}.git`);
    url.username = this.login;
    url.password = this.token;
    return url.href;
  }

  /** Returns the address of a public repository for git, without credentials. */
  publicRemoteOf(name: string): string {
    return `${this.url}/${this.login}/${name}.git`;
  }

  /** @param options.headers replace the token */
  async ask(
    method: string,
    path: string,
    options: { json?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    const headers: Record<string, string> = { ...(options.headers ?? this.byToken) };
    if (options.json !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(this.url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
  }

  /** Headers with name and password; null if the password is unknown. */
  get byPassword(): Record<string, string> | null {
    return this.password === null ? null : { authorization: basicAuthorization(this.login, this.password) };
  }

  /** Returns the name of a repository that the caller creates, and `removeMade` deletes. */
  nameOfRepository(suffix: string): string {
    const name = `${this.prefix}-${suffix}`;
    this.#made.push(this.repositoryPath(name));
    return name;
  }

  /**
   * Creates a public repository without commits.
   *
   * @returns its name
   */
  async createRepository(suffix: string): Promise<string> {
    const name = this.nameOfRepository(suffix);
    await this.#create('/api/v1/user/repos', { name, default_branch: 'main', private: false });
    return name;
  }

  /**
   * Creates an organization with teams.
   *
   * @returns its name
   */
  async createOrganization(suffix: string, teams: number): Promise<string> {
    const name = `${this.prefix}-${suffix}`;
    await this.#create('/api/v1/orgs', { username: name });
    this.#made.push(`/api/v1/orgs/${name}`);
    for (let team = 0; team < teams; team += 1) {
      const rights = { permission: 'read', units: ['repo.code'] };
      await this.#create(`/api/v1/orgs/${name}/teams`, { name: `team-${team}`, ...rights });
    }
    return name;
  }

  async #create(path: string, json: unknown): Promise<void> {
    const { status, body } = await this.ask('POST', path, { json });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${body}`);
  }

  /** Deletes what this run has created. */
  async removeMade(): Promise<void> {
    for (const path of this.#made.splice(0)) await this.ask('DELETE', path);
  }
}

/** @throws Error if the server rejects the token */
export async function forgeAt(url: string, token: string, password: string | null): Promise<Forge> {
  const unnamed = new Forge(url, { login: '', token, password });
  const { status, body } = await unnamed.ask('GET', '/api/v1/user');
  if (status !== 200) throw new Error(`${url} rejects the token: ${status} ${body}`);
  const { login } = JSON.parse(body.toString()) as { login: string };
  return new Forge(url, { login, token, password });
}

/** Creates a token with a password, like the tour in the README. */
export async function forgeByPassword(url: string, login: string, password: string): Promise<Forge> {
  const basic = { authorization: basicAuthorization(login, password) };
  const unnamed = new Forge(url, { login, token: '', password });
  const { status, body } = await unnamed.ask('POST', `/api/v1/users/${login}/tokens`, {
    json: { name: 'bench', scopes: ['all'] },
    headers: basic,
  });
  if (status !== 201) throw new Error(`cannot create a token: ${status} ${body}`);
  const { sha1 } = JSON.parse(body.toString()) as { sha1: string };
  return new Forge(url, { login, token: sha1, password });
}

export function basicAuthorization(login: string, password: string): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
}
