import { git, tryGit } from '../../support/git/git.ts';
import type { Ledger, Oid, Outcome, RefChange } from '../ledger.ts';
import { REPOSITORY, type Target } from './client.ts';

/** A push with git. Each change is forced, so that it may rewind a ref. */
export interface Push {
  readonly changes: readonly RefChange[];
  readonly atomic: boolean;
}

/** @returns the outcome of each change, by ref */
async function push(
  folder: string,
  target: Target,
  { changes, atomic }: Push,
): Promise<Map<string, Outcome>> {
  const run = await tryGit(folder, [
    'push',
    '--porcelain',
    ...(atomic ? ['--atomic'] : []),
    target.remote(REPOSITORY),
    ...changes.map(({ ref, to }) => `+${to ?? ''}:${ref}`),
  ]);
  const outcomes = readStatuses(run.stdout);
  const unanswered = changes.filter(({ ref }) => !outcomes.has(ref));
  if (unanswered.length > 0) await target.report(`git push: ${run.stderr}`);
  for (const { ref } of unanswered) outcomes.set(ref, 'unanswered');
  return outcomes;
}

/** Reads lines of a flag, `from:to` and a summary, separated by tabs: see git-push(1), OUTPUT. */
function readStatuses(text: string): Map<string, Outcome> {
  const statuses = new Map<string, Outcome>();
  for (const line of text.split('\n')) {
    const [, flag, ref = '', summary = ''] = /^([ +*=!-])\t[^:\t]*:(\S+)\t(.*)$/.exec(line) ?? [];
    if (flag === undefined) continue;
    if (flag !== '!') statuses.set(ref, 'acknowledged');
    // The outcome of other failures, such as a connection that broke before the report, is unknown.
    else if (summary.startsWith('[remote rejected]') || summary.startsWith('[rejected]')) {
      statuses.set(ref, 'rejected');
    }
  }
  return statuses;
}

/** Pushes, updates the ledger, and remembers unanswered changes. */
export class Pusher {
  readonly folder: string;
  readonly #ledger: Ledger;
  #pending: Push | undefined;

  constructor(folder: string, ledger: Ledger) {
    this.folder = folder;
    this.#ledger = ledger;
  }

  at(ref: string): Oid | null {
    return this.#ledger.refOf(ref);
  }

  async push(target: Target, requested: Push): Promise<void> {
    this.#ledger.attemptRefs(requested.changes, requested);
    const outcomes = await push(this.folder, target, requested);
    for (const change of requested.changes) {
      this.#ledger.recordRef(change, outcomes.get(change.ref) ?? 'unanswered');
    }
    this.#pending = [...outcomes.values()].includes('unanswered') ? requested : undefined;
  }

  /** Repeats an unanswered push. */
  async retry(target: Target): Promise<void> {
    const { changes, atomic } = this.#pending ?? {};
    if (changes === undefined || atomic === undefined) return;
    this.#ledger.retried += 1;
    const outcomes = await push(this.folder, target, { changes, atomic });
    for (const change of changes) {
      const outcome = outcomes.get(change.ref) ?? 'unanswered';
      // If the ref was deleted before the crash, git rejects the repeated deletion.
      const isDone =
        outcome === 'acknowledged' ||
        (change.to === null && (await isAbsent(this.folder, target, change.ref)));
      if (!isDone) throw new Error(`the retry of the push of ${change.ref} failed: ${outcome}`);
      this.#ledger.recordRef(change, 'acknowledged');
    }
    this.#pending = undefined;
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }
}

async function isAbsent(folder: string, target: Target, ref: string): Promise<boolean> {
  return (await git(folder, ['ls-remote', target.remote(REPOSITORY), ref])) === '';
}

/** Creates a commit that adds these files to those of its parent, with one git process. */
export async function addCommit(
  folder: string,
  options: { parent: Oid | null; message: string; files: Readonly<Record<string, Uint8Array>> },
): Promise<Oid> {
  const chunks: (string | Uint8Array)[] = [
    'commit refs/heads/built\nmark :1\n',
    `committer Ada <ada@example.org> ${Math.floor(Date.now() / 1000)} +0000\n`,
    `data ${Buffer.byteLength(options.message)}\n${options.message}\n`,
    options.parent === null ? '' : `from ${options.parent}\n`,
  ];
  for (const [path, content] of Object.entries(options.files)) {
    chunks.push(`M 100644 inline ${path}\ndata ${content.length}\n`, content, '\n');
  }
  chunks.push('get-mark :1\n');
  // fast-import makes the commit of an existing ref the parent, so a commit without a parent needs an absent ref.
  if (options.parent === null) await git(folder, ['update-ref', '-d', 'refs/heads/built']);
  const input = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
  return git(folder, ['fast-import', '--quiet', '--force', '--done'], {
    input: Buffer.concat([input, Buffer.from('done\n')]),
  });
}
