import { Agent, request } from 'node:http';
import { SeedError } from './read.ts';

interface Dependencies {
  /** of the server */
  readonly url: string;
  /** of an administrator, for all scopes */
  readonly token: string;
  /** called before each request */
  readonly before: () => void;
  /** called after each request: the next one finds all effects of this one */
  readonly after: () => Promise<void>;
}

interface Call {
  /** of the part of the seed, for errors */
  readonly place: string;
  /** name of the user who sends it; absent: the administrator */
  readonly as?: string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a seed reads few members of responses, by name
type Answer = any;

/** Sends the requests of a seed to the API of its server, one after the other. */
export class SeedApi implements Disposable {
  readonly #use: Dependencies;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  sendGet(call: Call, path: string): Promise<Answer> {
    return this.#send(call, 'GET', path);
  }

  sendPost(call: Call, path: string, body: object): Promise<Answer> {
    return this.#send(call, 'POST', path, body);
  }

  sendPut(call: Call, path: string, body: object): Promise<Answer> {
    return this.#send(call, 'PUT', path, body);
  }

  sendPatch(call: Call, path: string, body: object): Promise<Answer> {
    return this.#send(call, 'PATCH', path, body);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** @throws SeedError with the reason that the server gives */
  async #send({ place, as }: Call, method: string, path: string, body?: object): Promise<Answer> {
    this.#use.before();
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      authorization: `token ${this.#use.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(as === undefined ? {} : { sudo: as }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const sent = request(
      `${this.#use.url}/api/v1${path}`,
      { method, headers, agent: this.#agent },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(text);
    const answer = await promise;
    const parsed: Answer = answer.text === '' ? undefined : JSON.parse(answer.text);
    if (answer.status >= 300)
      throw new SeedError(place, `the server rejects it: ${parsed?.message ?? answer.status}`);
    await this.#use.after();
    return parsed;
  }
}
