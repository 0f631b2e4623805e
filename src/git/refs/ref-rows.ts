import { invalid } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import type { Engine } from '../engine.ts';
import type { ObjectFormat } from '../format/model.ts';
import { malformedRefName } from '../format/ref-names.ts';
import type { RefRows } from '../interface/refs.ts';
import type { RepositoryId, Snapshot } from '../interface/snapshot.ts';
import {
  deleteGitRepository,
  deleteTombstones,
  hasRef,
  hasTombstones,
  insertGitRepository,
  listGitRepositories,
  lockGitRepository,
  setCompactedGen,
  setHeadRow,
} from '../store.ts';

/** Reads and writes rows of the database, and no file. */
export class LocalRefRows implements RefRows {
  readonly #use: Pick<Engine, 'database' | 'open'>;

  constructor(engine: Pick<Engine, 'database' | 'open'>) {
    this.#use = engine;
  }

  async create(
    id: RepositoryId,
    options: { head: string; objectFormat: ObjectFormat },
    tx: Tx,
  ): Promise<void> {
    requireHeadName(options.head);
    await insertGitRepository(tx, id, options);
  }

  open(id: RepositoryId): Promise<Snapshot> {
    return this.#use.open(id);
  }

  list(): Promise<readonly RepositoryId[]> {
    return listGitRepositories(this.#use.database.reader);
  }

  async remove(id: RepositoryId, tx: Tx): Promise<void> {
    await deleteGitRepository(tx, id);
  }

  async setHead(id: RepositoryId, head: string, tx: Tx): Promise<void> {
    requireHeadName(head);
    const row = await lockGitRepository(tx, id);
    if (row !== undefined) await setHeadRow(tx, id, head, row.gen + 1);
  }

  async switchHead(id: RepositoryId, head: string, tx: Tx): Promise<boolean> {
    if (malformedRefName(head) !== undefined) return false;
    const row = await lockGitRepository(tx, id);
    if (row === undefined || row.head === head || !(await hasRef(tx, id, head))) return false;
    await setHeadRow(tx, id, head, row.gen + 1);
    return true;
  }

  compactRefs(id: RepositoryId): Promise<boolean> {
    return this.#use.database.transaction(async (tx) => {
      const row = await lockGitRepository(tx, id);
      if (row === undefined) return false;
      await deleteTombstones(tx, id, row.compactedGen);
      await setCompactedGen(tx, id, row.gen);
      return hasTombstones(tx, id);
    });
  }
}

/** Rejects a name that cannot be a line of git's HEAD file. */
function requireHeadName(head: string): void {
  const problem = malformedRefName(head);
  if (problem !== undefined || !head.startsWith('refs/'))
    throw invalid(problem ?? 'HEAD must point to a ref, such as refs/heads/main');
}
