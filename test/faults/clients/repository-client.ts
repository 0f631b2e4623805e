import { randomBytes } from 'node:crypto';
import type { Answer } from '../../support/http.ts';
import type { Ledger, Outcome } from '../ledger.ts';
import { type Client, OWNER, REPOSITORY, type Target } from './client.ts';

const WORD_BYTES = 8;
const KEPT_MAX = 3;

interface Change {
  readonly kind: 'make' | 'delete';
  readonly name: string;
}

/** Creates repositories with a first commit and deletes them, a few in each run of a server. */
export class RepositoryMaker implements Client {
  readonly #ledger: Ledger;
  readonly #changesMax: number;
  /** oldest first */
  readonly #there: string[] = [];
  /** the last deleted one */
  #deleted: string | undefined;
  readonly #changesIn = new WeakMap<Target, number>();
  #open: Change | undefined;

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
    const [oldest] = this.#there;
    if (oldest !== undefined && this.#there.length >= KEPT_MAX) return { kind: 'delete', name: oldest };
    return { kind: 'make', name: `made-${randomBytes(WORD_BYTES).toString('hex')}` };
  }

  async #change(target: Target, change: Change): Promise<{ outcome: Outcome; answer?: Answer | undefined }> {
    const json = { name: change.name, auto_init: true };
    const told =
      change.kind === 'make'
        ? await target.change('POST', '/api/v1/user/repos', { json })
        : await target.change('DELETE', `/api/v1/repos/${OWNER}/${change.name}`, {});
    this.#open = told.outcome === 'unanswered' ? change : undefined;
    if (told.outcome === 'acknowledged') this.#acknowledge(change);
    return told;
  }

  #acknowledge({ kind, name }: Change): void {
    this.#ledger.acknowledged += 1;
    if (kind === 'make') {
      this.#there.push(name);
      return;
    }
    this.#there.splice(this.#there.indexOf(name), 1);
    this.#deleted = name;
  }

  async retry(target: Target): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#ledger.retried += 1;
    const { outcome, answer } = await this.#change(target, open);
    if (outcome === 'acknowledged') return;
    // The creation or deletion happened before the crash.
    if (answer?.status !== (open.kind === 'make' ? 409 : 404)) {
      throw new Error(`${open.kind} ${open.name} fails again: ${answer?.status} ${answer?.text}`);
    }
    this.#acknowledge(open);
  }

  async lost(target: Target): Promise<readonly string[]> {
    const lost: string[] = [];
    const status = async (name: string) =>
      (await target.send('GET', `/api/v1/repos/${OWNER}/${name}/contents/README.md`))?.status;
    for (const name of this.#there) {
      const isOpen = this.#open?.name === name;
      const found = await status(name);
      if (found !== 200 && !isOpen) lost.push(`the repository ${name} answers ${found}`);
    }
    if (this.#deleted !== undefined && (await status(this.#deleted)) !== 404) {
      lost.push(`the deleted repository ${this.#deleted} is there`);
    }
    return lost;
  }
}
