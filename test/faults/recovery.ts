import {
  bareFolder,
  cloneProblems,
  fsckProblems,
  listingProblems,
  mirrorProblems,
  subjectsOf,
} from './checks.ts';
import { SHARED_BRANCH } from './clients/api-clients.ts';
import { type Client, REPOSITORY, type Target } from './clients/client.ts';
import type { Problem } from './counts.ts';
import type { Ledger } from './ledger.ts';
import { readRows, unrecordedMoves } from './rows.ts';
import type { Site } from './server-process.ts';

export interface Recovered {
  readonly site: Site;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly clients: readonly Client[];
  /** an empty folder */
  readonly clone: string;
}

/** Yields the problems that a restarted server shows while it runs. */
export async function* checkRunning(recovered: Recovered): AsyncGenerator<Problem> {
  const { site, target, ledger, clone } = recovered;
  const before = await readRows(site.location, REPOSITORY);
  yield* asKind('lost', [...ledger.lostRefs(before), ...unrecordedMoves(before)]);
  // Concurrently, because several clients may trigger the same recovery.
  yield* (await Promise.all(recovered.clients.map((client) => retryChanges(client, target)))).flat();

  const rows = await readRows(site.location, REPOSITORY);
  yield* asKind('lost', [...ledger.lostRefs(rows), ...unrecordedMoves(rows)]);
  yield* asKind('other', await cloneProblems(clone, target, rows));
  yield* asKind('lost', ledger.lostCommits(SHARED_BRANCH, await subjectsOf(clone, SHARED_BRANCH)));
  yield* asKind('other', await listingProblems(target, { clone, branch: SHARED_BRANCH, path: 'own' }));
}

async function retryChanges(client: Client, target: Target): Promise<readonly Problem[]> {
  const before = (await client.lost?.(target)) ?? [];
  try {
    await client.retry(target);
  } catch (error) {
    return asKind('other', [...before, String(error)]);
  }
  return asKind('lost', [...before, ...((await client.lost?.(target)) ?? [])]);
}

/** Yields problems of the files on disk, after a server has served a clone and stopped. */
export async function* checkFolder(site: Site): AsyncGenerator<Problem> {
  const rows = await readRows(site.location, REPOSITORY);
  const bare = bareFolder(site, rows.id);
  yield* asKind('other', await mirrorProblems(bare, rows));
  yield* asKind('fsck', await fsckProblems(bare));
}

function asKind(kind: Problem['kind'], texts: readonly string[]): readonly Problem[] {
  return texts.map((text) => ({ kind, text }));
}
