import type { Rows } from './rows.ts';

export type Oid = string;
/** A client's view of a change that it requested. */
export type Outcome = 'acknowledged' | 'rejected' | 'unanswered';

/** A ref that only one client writes. An oid of null means that the ref does not exist. */
interface OwnedRef {
  acknowledged: Oid | null;
  /** undefined: no change is pending */
  attempted: Oid | null | undefined;
}

/** A commit that a client requested, identified by its message, a unique word. */
interface RequestedCommit {
  readonly branch: string;
  outcome: Outcome;
}

export interface RefChange {
  readonly ref: string;
  readonly to: Oid | null;
}

/** Records what clients requested and what the server acknowledged, in memory that survives a killed server. */
export class Ledger {
  readonly #refs = new Map<string, OwnedRef>();
  readonly #atomic: (readonly RefChange[])[] = [];
  readonly #commits = new Map<string, RequestedCommit>();
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

  recordRef({ ref, to }: RefChange, outcome: Outcome): void {
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

  /** Last acknowledged oid of a ref. */
  refOf(ref: string): Oid | null {
    return this.#refs.get(ref)?.acknowledged ?? null;
  }

  recordCommit(word: string, branch: string, outcome: Outcome): void {
    this.#commits.set(word, { branch, outcome });
    if (outcome === 'acknowledged') this.acknowledged += 1;
  }

  /** Refs that are neither at their last acknowledged value nor at the value of a pending push. */
  lostRefs(rows: Rows): readonly string[] {
    const lost = [...this.#refs].flatMap(([ref, { acknowledged, attempted }]) => {
      const current = rows.refs.get(ref) ?? null;
      if (current === acknowledged || (attempted !== undefined && current === attempted)) return [];
      return [
        `${ref} is at ${current}, not at ${acknowledged}${attempted === undefined ? '' : ` or ${attempted}`}`,
      ];
    });
    return [...lost, ...this.#atomic.flatMap((changes) => atomicityProblems(changes, rows))];
  }

  /**
   * @param subjects of the commits of a branch
   * @returns acknowledged commits that are missing, rejected ones that exist, and duplicates
   */
  lostCommits(branch: string, subjects: readonly string[]): readonly string[] {
    const found = new Set(subjects);
    const requested = [...this.#commits].filter(([, commit]) => commit.branch === branch);
    const lost = requested
      .filter(([word, { outcome }]) => outcome === 'acknowledged' && !found.has(word))
      .map(([word]) => `${branch}: the acknowledged commit ${word} is missing`);
    const unexpected = requested
      .filter(([word, { outcome }]) => outcome === 'rejected' && found.has(word))
      .map(([word]) => `${branch}: the rejected commit ${word} exists`);
    const duplicates = subjects.length === found.size ? [] : [`${branch}: a commit exists twice`];
    return [...lost, ...unexpected, ...duplicates];
  }
}

/** Checks that a pending atomic push moved all of its refs or none. */
function atomicityProblems(changes: readonly RefChange[], rows: Rows): readonly string[] {
  const moved = changes.filter(({ ref, to }) => (rows.refs.get(ref) ?? null) === to);
  if (moved.length === 0 || moved.length === changes.length) return [];
  return [`of an atomic push only ${moved.map(({ ref }) => ref).join(', ')} moved`];
}
