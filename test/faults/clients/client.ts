import { type Answer, request, type SendOptions } from '../../support/http/http.ts';
import type { Outcome } from '../ledger.ts';
import type { Server } from '../server-process.ts';

export const OWNER = 'root';
/** The repository that all clients write to. */
export const REPOSITORY = 'shared';

/** One run of the server, from its start to its end, as a client sees it. */
export class Target {
  readonly #server: Server;
  readonly #password: string;
  /** unexpected events during this run */
  readonly problems: string[] = [];
  /** whether a prune may delete objects while a client reads them */
  readonly isPruning: boolean;

  constructor(server: Server, password: string, options: { isPruning: boolean }) {
    this.#server = server;
    this.#password = password;
    this.isPruning = options.isPruning;
  }

  get hasEnded(): boolean {
    return this.#server.hasEnded;
  }

  /** Records a problem, unless the server has ended or is about to end. */
  async report(problem: string): Promise<void> {
    if (!(await this.#server.isEnding())) this.problems.push(problem);
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
      await this.report(`${method} ${path}: ${String((error as Error).cause ?? error)}`);
      return undefined;
    }
  }

  /** Sends a change. Without a response, or after a server fault, its outcome is unknown. */
  async change(
    method: string,
    path: string,
    options: SendOptions,
  ): Promise<{ outcome: Outcome; answer?: Answer }> {
    const answer = await this.send(method, path, options);
    if (answer === undefined) return { outcome: 'unanswered' };
    if (answer.status < 300) return { outcome: 'acknowledged', answer };
    if (answer.status < 500 || answer.status === 503) return { outcome: 'rejected', answer };
    this.problems.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return { outcome: 'unanswered', answer };
  }
}

/** A client that works with the server, one request after another. */
export interface Client {
  /** Makes one change or one read. Resolves with the response, or when the connection breaks. */
  step(target: Target): Promise<void>;
  /**
   * Repeats unanswered requests.
   *
   * @throws if a request fails again
   */
  retry(target: Target): Promise<void>;
  /** Returns acknowledged changes that are lost, for clients whose changes can be checked over the API. */
  lost?(target: Target): Promise<readonly string[]>;
}
