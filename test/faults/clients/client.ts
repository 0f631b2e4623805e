import { type Answer, request, type SendOptions } from '../../support/http.ts';
import type { Outcome } from '../ledger.ts';
import type { ServerProcess } from '../server-process.ts';

export const OWNER = 'root';
/** The repository that all clients write to. */
export const REPOSITORY = 'shared';

/** The server as a client sees it, from one start to its end. */
export class Target {
  readonly #server: ServerProcess;
  readonly #password: string;
  /** what should not have happened while the server was there */
  readonly problems: string[] = [];
  /** whether objects that somebody still reads may be pruned */
  readonly isPruning: boolean;

  constructor(server: ServerProcess, password: string, options: { isPruning: boolean }) {
    this.#server = server;
    this.#password = password;
    this.isPruning = options.isPruning;
  }

  get isGone(): boolean {
    return this.#server.hasEnded;
  }

  /** Notes down a failure that has no excuse, unless the server is gone. */
  async complain(problem: string): Promise<void> {
    if (!(await this.#server.isDying())) this.problems.push(problem);
  }

  remote(repository: string): string {
    const url = new URL(this.#server.url);
    url.username = OWNER;
    url.password = this.#password;
    return `${url.href}${OWNER}/${repository}.git`;
  }

  /** @returns undefined where the connection broke */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer | undefined> {
    try {
      const as = { name: OWNER, password: this.#password };
      return await request(method, `${this.#server.url}${path}`, { as, ...options });
    } catch (error) {
      await this.complain(`${method} ${path}: ${String((error as Error).cause ?? error)}`);
      return undefined;
    }
  }

  /** Sends a change. A server that fails says nothing about what became of it. */
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

/** Somebody who works with the server, one thing after the other. */
export interface Client {
  /** One change, or one look. Returns when it is answered, or never will be. */
  step(target: Target): Promise<void>;
  /**
   * Tries again what was not answered.
   *
   * @throws where that does not succeed
   */
  retry(target: Target): Promise<void>;
  /** What it was promised and does not find, for clients that ask the server rather than git. */
  lost?(target: Target): Promise<readonly string[]>;
}
