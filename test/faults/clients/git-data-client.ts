import { randomBytes } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import { type Client, OWNER, REPOSITORY, type Target } from './client.ts';

const GIT = `/api/v1/repos/${OWNER}/${REPOSITORY}/git`;
const REF = 'refs/heads/parts';
/** Acknowledged objects without a ref that are remembered, the latest ones. */
const LOOSE_MAX = 50;

interface Made {
  readonly kind: 'blobs' | 'trees' | 'commits';
  readonly sha: string;
}

/** Makes commits from their parts over the API, and moves a branch that no other client writes to them. */
export class PartByPart implements Client {
  readonly #ledger: Ledger;
  /** acknowledged objects, whether a ref reaches them or not */
  readonly #made: Made[] = [];
  #pending: string | undefined;
  /** whether a prune may have deleted what the pending change needs */
  #mayBePruned = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async step(target: Target): Promise<void> {
    this.#mayBePruned = target.isPruning;
    if (target.isPruning) this.#made.length = 0;
    const commit = await this.#makeCommit(target);
    if (commit === undefined) return;
    await this.#moveRef(target, commit);
  }

  async #makeCommit(target: Target): Promise<string | undefined> {
    const word = randomBytes(8).toString('hex');
    const blob = await this.#make(target, 'blobs', { content: word });
    if (blob === undefined) return undefined;
    const entry = { path: `${word.slice(0, 2)}/${word}`, mode: '100644', sha: blob };
    const tree = await this.#make(target, 'trees', { tree: [entry] });
    if (tree === undefined) return undefined;
    const parent = this.#ledger.refOf(REF);
    return this.#make(target, 'commits', { message: word, tree, parents: parent === null ? [] : [parent] });
  }

  async #make(target: Target, kind: Made['kind'], json: object): Promise<string | undefined> {
    const { outcome, answer } = await target.change('POST', `${GIT}/${kind}`, { json });
    // A prune deletes what the next part needs, if all objects count as old.
    if (outcome === 'rejected' && !target.isPruning)
      target.problems.push(`POST ${kind} was rejected: ${answer?.text}`);
    if (outcome !== 'acknowledged') return undefined;
    this.#ledger.acknowledged += 1;
    const sha = String(answer?.body.sha);
    if (target.isPruning) return sha;
    this.#made.push({ kind, sha });
    if (this.#made.length > LOOSE_MAX) this.#made.shift();
    return sha;
  }

  async #moveRef(target: Target, to: string): Promise<void> {
    const isNew = this.#ledger.refOf(REF) === null;
    this.#pending = to;
    this.#ledger.attemptRefs([{ ref: REF, to }], { atomic: false });
    const { outcome, answer } = isNew
      ? await target.change('POST', `${GIT}/refs`, { json: { ref: REF, sha: to } })
      : await target.change('PATCH', `${GIT}/${REF}`, { json: { sha: to } });
    this.#ledger.recordRef({ ref: REF, to }, outcome);
    if (outcome !== 'unanswered') this.#pending = undefined;
    if (outcome === 'rejected' && !target.isPruning)
      target.problems.push(`${REF} was rejected: ${answer?.text}`);
  }

  async retry(target: Target): Promise<void> {
    const to = this.#pending;
    if (to === undefined) return;
    this.#ledger.retried += 1;
    const current = await target.send('GET', `${GIT}/${REF.replace('refs/', 'ref/')}`);
    const isThere = current?.status === 200 && current.body.object.sha === to;
    if (isThere) this.#ledger.recordRef({ ref: REF, to }, 'acknowledged');
    else {
      const again = this.#mayBePruned ? await this.#makeCommit(target) : to;
      if (again !== undefined) await this.#moveRef(target, again);
      if (again === undefined || this.#pending !== undefined) throw new Error(`the retry of ${REF} failed`);
    }
    this.#pending = undefined;
  }

  /** Objects stay for longer than any of these tests takes, unless a prune treats them as old. */
  async lost(target: Target): Promise<readonly string[]> {
    const lost: string[] = [];
    for (const { kind, sha } of this.#made) {
      const found = await target.send('GET', `${GIT}/${kind}/${sha}`);
      if (found?.status !== 200) lost.push(`the acknowledged object ${sha} in ${kind} is missing`);
    }
    return lost;
  }
}
