import { git, tryGit } from '../../support/git.ts';
import type { Ledger, Oid, Outcome, RefChange } from '../ledger.ts';
import { REPOSITORY, type Target } from './client.ts';

/** A push as git runs it. Each change is forced, so that it may rewind. */
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
  const told = readStatuses(run.stdout);
  const unanswered = changes.filter(({ ref }) => !told.has(ref));
  if (unanswered.length > 0) await target.complain(`git push: ${run.stderr}`);
  for (const { ref } of unanswered) told.set(ref, 'unanswered');
  return told;
}

/** git-push(1), OUTPUT: a flag, `from:to` and a summary, separated by tabs. */
function readStatuses(text: string): Map<string, Outcome> {
  const statuses = new Map<string, Outcome>();
  for (const line of text.split('\n')) {
    const [, flag, ref = '', summary = ''] = /^([ +*=!-])\t[^:\t]*:(\S+)\t(.*)$/.exec(line) ?? [];
    if (flag === undefined) continue;
    if (flag !== '!') statuses.set(ref, 'acknowledged');
    // git says what it knows: of a connection that broke before the report it knows nothing.
    else if (summary.startsWith('[remote rejected]') || summary.startsWith('[rejected]')) {
      statuses.set(ref, 'refused');
    }
  }
  return statuses;
}

/** Pushes, updates the ledger, and remembers unanswered changes. */
export class Pusher {
  readonly folder: string;
  readonly #ledger: Ledger;
  #open: Push | undefined;

  constructor(folder: string, ledger: Ledger) {
    this.folder = folder;
    this.#ledger = ledger;
  }

  at(ref: string): Oid | null {
    return this.#ledger.refOf(ref);
  }

  async push(target: Target, wanted: Push): Promise<void> {
    this.#ledger.attemptRefs(wanted.changes, wanted);
    const outcomes = await push(this.folder, target, wanted);
    for (const change of wanted.changes) {
      this.#ledger.settleRef(change, outcomes.get(change.ref) ?? 'unanswered');
    }
    this.#open = [...outcomes.values()].includes('unanswered') ? wanted : undefined;
  }

  /** A client with an unanswered push repeats it before anything else. */
  async retry(target: Target): Promise<void> {
    const { changes, atomic } = this.#open ?? {};
    if (changes === undefined || atomic === undefined) return;
    this.#ledger.retried += 1;
    const outcomes = await push(this.folder, target, { changes, atomic });
    for (const change of changes) {
      const outcome = outcomes.get(change.ref) ?? 'unanswered';
      // If the change was made before the crash, there is nothing left to delete, and git reports it.
      const isDone =
        outcome === 'acknowledged' ||
        (change.to === null && (await isAbsent(this.folder, target, change.ref)));
      if (!isDone) throw new Error(`the push of ${change.ref} fails again: ${outcome}`);
      this.#ledger.settleRef(change, 'acknowledged');
    }
    this.#open = undefined;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }
}

async function isAbsent(folder: string, target: Target, ref: string): Promise<boolean> {
  return (await git(folder, ['ls-remote', target.remote(REPOSITORY), ref])) === '';
}

/** Commits these files in addition, with one git process. */
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
  // Without a parent the ref must be absent, or its commit would become one.
  if (options.parent === null) await git(folder, ['update-ref', '-d', 'refs/heads/built']);
  const input = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
  return git(folder, ['fast-import', '--quiet', '--force', '--done'], {
    input: Buffer.concat([input, Buffer.from('done\n')]),
  });
}
