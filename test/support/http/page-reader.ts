import type { TestForge } from '../forge/forge.ts';
import type { Answer, SendOptions } from './http.ts';

/** What a browser says about a form of a page of the server. */
const OWN_FORM = { 'sec-fetch-site': 'same-origin' };

/** A browser without scripts: it has cookies, opens pages and sends their forms. It follows no redirects. */
export class PageReader {
  readonly cookies = new Map<string, string>();
  readonly #forge: TestForge;

  constructor(forge: TestForge) {
    this.#forge = forge;
  }

  /** Opens a page. */
  get(path: string, options: SendOptions = {}): Promise<Answer> {
    return this.send('GET', path, options);
  }

  /** Sends a form as a browser does, to the page that has it. */
  post(path: string, fields: Readonly<Record<string, string>>, options: SendOptions = {}): Promise<Answer> {
    const { headers } = options;
    return this.send('POST', path, {
      ...options,
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...OWN_FORM, ...headers },
    });
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...options.headers };
    const answer = await this.#forge.send(method, path, { ...options, headers });
    for (const line of answer.headers.getSetCookie()) this.#take(line);
    return answer;
  }

  /** Signs in with a password and requires that it works. */
  async signIn(
    { name, password }: { readonly name: string; readonly password: string },
    fields: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const answer = await this.post('/user/login', { user_name: name, password, ...fields });
    if (answer.status !== 303) throw new Error(`cannot sign in: ${answer.status} ${answer.text}`);
  }

  #take(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** Returns the value of a field in a page. */
export function fieldIn(page: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
  if (value === undefined) throw new Error(`the page has no field ${name}: ${page}`);
  return value;
}
