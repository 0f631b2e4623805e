import { type Answer, request, type SendOptions } from '../../support/http.ts';
import type { Outcome } from '../ledger.ts';
import type { ServerProcess } from '../server-process.ts';

export const OWNER = 'root';
/** The repository that all clients write to. */
export const REPOSITORY = 'shared';

/** One run of the server, from its start to its end, as a client sees it. */
export class Target {
  readonly #server: ServerProcess;
  readonly #password: string;
  /** unexpected events during this run */
  readonly problems: string[] = [];
  /** whether the prune may delete objects that a client still reads */
  readonly isPruning: boolean;

  constructor(server: ServerProcess, password: string, options: { isPruning: boolean }) {
    this.#server = server;
    this.#password = password;
    this.isPruning = options.isPruning;
  }

  get isGone(): boolean {
    return this.#server.hasEnded;
  }

  /** Records an inexcusable failure, unless the server is gone. */
  async complain(problem: string): Promise<void> {
    if (!(await this.#server.isDying())) this.problems.push(problem);
  }

  remote(repository: string): string {
    const url = new URL(this.#server.url);
    url.username = OWNER;
    url.password = this.#password;
    return `${url.href}${OWNER}/${repository}.git`;
  }

  /** @returns undefined if the connection broke */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer | undefined> {
    try {
      const as = { name: OWNER, password: this.#password };
      return await request(method, `${this.#server.url}${path}`, { as, ...options });
    } catch (error) {
      await this.complain(`${method} ${path}: ${String((error as Error).cause ?? error)}`);
      return undefined;
    }
  }

  /** Sends a change. A failed server leaves its outcome unknown. */
  async change(
    method: string,
    path: string,
    options: SendOptions,
  ): Promise<{ outcome: Outcome; answer?: Answer }> {
    const answer = await this.send(method, path, options);
    if (answer === undefined) return { outcome: 'unanswered' };
    if (answer.status < 300) return { outcome: 'acknowledged', answer };
    if (answer.status < 500 || answer.status === 503) return { outcome: 'refused', answer };
    this.problems.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return { outcome: 'unanswered', answer };
  }
}

/** A client that works with the server, one request after another. */
export interface Client {
  /** One change or one read. Returns after the response, or when none will come. */
  step(target: Target): Promise<void>;
  /**
   * Repeats unanswered requests.
   *
   * @throws if a request fails again
   */
  retry(target: Target): Promise<void>;
  /** Missing promised changes, for clients that ask the server instead of git. */
  lost?(target: Target): Promise<readonly string[]>;
}
