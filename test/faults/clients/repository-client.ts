import { randomBytes } from 'node:crypto';
import type { Answer } from '../../support/http/http.ts';
import type { Ledger, Outcome } from '../ledger.ts';
import { type Client, OWNER, REPOSITORY, type Target } from './client.ts';

const WORD_BYTES = 8;
const REPOSITORIES_MAX = 3;

interface Change {
  readonly kind: 'create' | 'delete';
  readonly name: string;
}

/** Creates repositories with a first commit and deletes them, a few in each run of a server. */
export class RepositoryCreator implements Client {
  readonly #ledger: Ledger;
  readonly #changesMax: number;
  /** oldest first */
  readonly #existing: string[] = [];
  /** the most recently deleted one */
  #deleted: string | undefined;
  readonly #changesIn = new WeakMap<Target, number>();
  #pending: Change | undefined;

  constructor(options: { ledger: Ledger; changesMax: number }) {
    this.#ledger = options.ledger;
    this.#changesMax = options.changesMax;
  }

  async step(target: Target): Promise<void> {
    const count = this.#changesIn.get(target) ?? 0;
    this.#changesIn.set(target, count + 1);
    if (count < this.#changesMax) await this.#change(target, this.#next());
    else await target.send('GET', `/api/v1/repos/${OWNER}/${REPOSITORY}/contents`);
  }

  #next(): Change {
    const [oldest] = this.#existing;
    if (oldest !== undefined && this.#existing.length >= REPOSITORIES_MAX)
      return { kind: 'delete', name: oldest };
    return { kind: 'create', name: `repository-${randomBytes(WORD_BYTES).toString('hex')}` };
  }

  async #change(target: Target, change: Change): Promise<{ outcome: Outcome; answer?: Answer | undefined }> {
    const json = { name: change.name, auto_init: true };
    const result =
      change.kind === 'create'
        ? await target.change('POST', '/api/v1/user/repos', { json })
        : await target.change('DELETE', `/api/v1/repos/${OWNER}/${change.name}`, {});
    this.#pending = result.outcome === 'unanswered' ? change : undefined;
    if (result.outcome === 'acknowledged') this.#acknowledge(change);
    return result;
  }

  #acknowledge({ kind, name }: Change): void {
    this.#ledger.acknowledged += 1;
    if (kind === 'create') {
      this.#existing.push(name);
      return;
    }
    this.#existing.splice(this.#existing.indexOf(name), 1);
    this.#deleted = name;
  }

  async retry(target: Target): Promise<void> {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#ledger.retried += 1;
    const { outcome, answer } = await this.#change(target, pending);
    if (outcome === 'acknowledged') return;
    // With one of these statuses, the change happened before the crash.
    if (answer?.status !== (pending.kind === 'create' ? 409 : 404)) {
      throw new Error(
        `the retry to ${pending.kind} ${pending.name} failed: ${answer?.status} ${answer?.text}`,
      );
    }
    this.#acknowledge(pending);
  }

  async lost(target: Target): Promise<readonly string[]> {
    const lost: string[] = [];
    const status = async (name: string) =>
      (await target.send('GET', `/api/v1/repos/${OWNER}/${name}/contents/README.md`))?.status;
    for (const name of this.#existing) {
      const isPending = this.#pending?.name === name;
      const found = await status(name);
      if (found !== 200 && !isPending) lost.push(`the repository ${name} returned ${found}`);
    }
    if (this.#deleted !== undefined && (await status(this.#deleted)) !== 404) {
      lost.push(`the deleted repository ${this.#deleted} still exists`);
    }
    return lost;
  }
}
