import type { Rows } from './rows.ts';

export type Oid = string;
/** A client's view of a change that it requested. */
export type Outcome = 'acknowledged' | 'refused' | 'unanswered';

/** A ref that only one client writes. null: it does not exist. */
interface OwnedRef {
  acknowledged: Oid | null;
  /** undefined: no change is pending */
  attempted: Oid | null | undefined;
}

/** A commit that a client requested, identified by a word that is its message. */
interface AskedCommit {
  readonly branch: string;
  outcome: Outcome;
}

export interface RefChange {
  readonly ref: string;
  readonly to: Oid | null;
}

/** Requests of clients and the promises of the server, stored where no server can lose them. */
export class Ledger {
  readonly #refs = new Map<string, OwnedRef>();
  readonly #atomic: (readonly RefChange[])[] = [];
  readonly #commits = new Map<string, AskedCommit>();
  acknowledged = 0;
  retried = 0;

  /** Records the start of a push. */
  attemptRefs(changes: readonly RefChange[], options: { atomic: boolean }): void {
    for (const { ref, to } of changes) {
      const known = this.#refs.get(ref) ?? { acknowledged: null, attempted: undefined };
      this.#refs.set(ref, { ...known, attempted: to });
    }
    if (options.atomic) this.#atomic.push(changes);
  }

  settleRef({ ref, to }: RefChange, outcome: Outcome): void {
    const known = this.#refs.get(ref);
    if (known === undefined || outcome === 'unanswered') return;
    if (outcome === 'acknowledged') {
      known.acknowledged = to;
      this.acknowledged += 1;
    }
    known.attempted = undefined;
    this.#forgetAtomic(ref);
  }

  #forgetAtomic(ref: string): void {
    const at = this.#atomic.findIndex((changes) => changes.some((change) => change.ref === ref));
    if (at !== -1) this.#atomic.splice(at, 1);
  }

  /** Last known oid of a ref for its owner. */
  refOf(ref: string): Oid | null {
    return this.#refs.get(ref)?.acknowledged ?? null;
  }

  settleCommit(word: string, branch: string, outcome: Outcome): void {
    this.#commits.set(word, { branch, outcome });
    if (outcome === 'acknowledged') this.acknowledged += 1;
  }

  /** Refs that are neither at their last acknowledged value nor at the value of a pending push. */
  lostRefs(rows: Rows): readonly string[] {
    const lost = [...this.#refs].flatMap(([ref, { acknowledged, attempted }]) => {
      const there = rows.refs.get(ref) ?? null;
      if (there === acknowledged || (attempted !== undefined && there === attempted)) return [];
      return [
        `${ref} is at ${there}, not at ${acknowledged}${attempted === undefined ? '' : ` or ${attempted}`}`,
      ];
    });
    return [...lost, ...this.#atomic.flatMap((changes) => tornApart(changes, rows))];
  }

  /**
   * @param subjects of the commits of a branch
   * @returns broken promises, and commits that no client requested
   */
  lostCommits(branch: string, subjects: readonly string[]): readonly string[] {
    const there = new Set(subjects);
    const asked = [...this.#commits].filter(([, commit]) => commit.branch === branch);
    const lost = asked
      .filter(([word, { outcome }]) => outcome === 'acknowledged' && !there.has(word))
      .map(([word]) => `${branch}: the acknowledged commit ${word} is gone`);
    const uninvited = asked
      .filter(([word, { outcome }]) => outcome === 'refused' && there.has(word))
      .map(([word]) => `${branch}: the refused commit ${word} is there`);
    const twice = subjects.length === there.size ? [] : [`${branch}: a commit was made twice`];
    return [...lost, ...uninvited, ...twice];
  }
}

/** A pending atomic push moved all of its refs or none. */
function tornApart(changes: readonly RefChange[], rows: Rows): readonly string[] {
  const moved = changes.filter(({ ref, to }) => (rows.refs.get(ref) ?? null) === to);
  if (moved.length === 0 || moved.length === changes.length) return [];
  return [`of an atomic push only ${moved.map(({ ref }) => ref).join(', ')} moved`];
}
