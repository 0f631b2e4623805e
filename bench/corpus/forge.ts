import { randomBytes } from 'node:crypto';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Credentials {
  readonly login: string;
  readonly token: string;
  /** null: nobody told */
  readonly password: string | null;
}

/** A server with the Gitea/Forgejo API, and whom it is asked as. */
export class Forge implements Credentials {
  readonly url: string;
  readonly login: string;
  readonly token: string;
  readonly password: string | null;
  /** what repositories made by this run are called */
  readonly prefix = `bench-${randomBytes(3).toString('hex')}`;
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

  /** Where git finds a repository, with the credentials to push. */
  remoteOf(name: string): string {
    const url = new URL(`${this.url}/${this.login}/${name}.git`);
    url.username = this.login;
    url.password = this.token;
    return url.href;
  }

  /** Where git finds a public repository as nobody in particular. */
  publicRemoteOf(name: string): string {
    return `${this.url}/${this.login}/${name}.git`;
  }

  /** @param options.headers instead of the token, where given */
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

  /** Headers of somebody who gives a name and a password; null where the password is not known. */
  get byPassword(): Record<string, string> | null {
    return this.password === null ? null : { authorization: basicAuthorization(this.login, this.password) };
  }

  /**
   * Makes a public repository without commits.
   *
   * @returns its name
   */
  async createRepository(suffix: string): Promise<string> {
    const name = `${this.prefix}-${suffix}`;
    const { status, body } = await this.ask('POST', '/api/v1/user/repos', {
      json: { name, default_branch: 'main', private: false },
    });
    if (status !== 201) throw new Error(`${name} cannot be made: ${status} ${body}`);
    this.#made.push(name);
    return name;
  }

  /** Removes what this run made. */
  async removeMade(): Promise<void> {
    for (const name of this.#made.splice(0)) await this.ask('DELETE', this.repositoryPath(name));
  }
}

/** @throws Error where the token is not good */
export async function forgeAt(url: string, token: string, password: string | null): Promise<Forge> {
  const unnamed = new Forge(url, { login: '', token, password });
  const { status, body } = await unnamed.ask('GET', '/api/v1/user');
  if (status !== 200) throw new Error(`${url} does not take the token: ${status} ${body}`);
  const { login } = JSON.parse(body.toString()) as { login: string };
  return new Forge(url, { login, token, password });
}

/** Makes a token with a password, as the README does. */
export async function forgeByPassword(url: string, login: string, password: string): Promise<Forge> {
  const basic = { authorization: basicAuthorization(login, password) };
  const unnamed = new Forge(url, { login, token: '', password });
  const { status, body } = await unnamed.ask('POST', `/api/v1/users/${login}/tokens`, {
    json: { name: 'bench', scopes: ['all'] },
    headers: basic,
  });
  if (status !== 201) throw new Error(`no token could be made: ${status} ${body}`);
  const { sha1 } = JSON.parse(body.toString()) as { sha1: string };
  return new Forge(url, { login, token: sha1, password });
}

export function basicAuthorization(login: string, password: string): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
}
