import { KeyedLock } from '../../base/core/fairness/keyed-lock.ts';
import type { Engine } from '../engine.ts';
import type { Oid } from '../format/model.ts';
import type { PlannedMoves } from '../fresh/planned-moves.ts';
import type { RefUpdate } from '../interface/refs.ts';
import type { RepositoryId, Snapshot } from '../interface/snapshot.ts';
import type {
  DeletedObjects,
  MaintenanceJob,
  ObjectsMeasure,
  Upkeep,
  VerifyReport,
} from '../interface/upkeep.ts';
import { type ImportNeeds, importHandMadeRefs } from './import-refs.ts';
import { refreshCommitGraph } from './indexes.ts';
import { measureObjects } from './measure.ts';
import { type PruneNeeds, prune, purge } from './prune.ts';
import { repack } from './repack.ts';
import { type SweepNeeds, sweepFolders } from './sweep.ts';
import { type VerifyNeeds, verifyRepository } from './verify.ts';

type Needs = ImportNeeds &
  PruneNeeds &
  SweepNeeds &
  VerifyNeeds &
  Pick<Engine, 'changes' | 'createdFolder' | 'mirroredFolder' | 'open'>;

/** Maintains the folders of repositories. */
export class LocalUpkeep implements Upkeep {
  readonly #engine: Needs;
  readonly #moves: PlannedMoves;
  readonly #pruneGraceMs: number;
  /** One job at a time for each repository, because each removes packs that another would read. */
  readonly #turns = new KeyedLock();

  constructor(engine: Needs, moves: PlannedMoves, { pruneGraceMs }: { pruneGraceMs: number }) {
    this.#engine = engine;
    this.#moves = moves;
    this.#pruneGraceMs = pruneGraceMs;
  }

  maintain(id: RepositoryId, job: MaintenanceJob): Promise<'done' | 'lost-race'> {
    return this.#turns.run(`${id}`, async () => {
      if (job === 'repack') return repack(this.#engine, id);
      if (job === 'prune') return prune(this.#engine, id, this.#pruneGraceMs);
      return refreshCommitGraph(this.#engine, id);
    });
  }

  purge(id: RepositoryId): Promise<DeletedObjects | 'lost-race'> {
    return this.#turns.run(`${id}`, () => purge(this.#engine, id));
  }

  async measure(id: RepositoryId): Promise<ObjectsMeasure> {
    const folder = await this.#engine.placedFolder(id);
    await this.#engine.moveFreshToFiles(id);
    return measureObjects(folder);
  }

  moveFreshToFiles(): Promise<void> {
    return this.#moves.run();
  }

  async sweep(graceMs: number): Promise<number> {
    await this.#moves.run();
    return sweepFolders(this.#engine, graceMs);
  }

  verify(id: RepositoryId): Promise<VerifyReport> {
    return verifyRepository(this.#engine, id);
  }

  async importRefs(id: RepositoryId): Promise<readonly RefUpdate[]> {
    const taken = await importHandMadeRefs(this.#engine, id);
    // Updates the mirror, so that the imported refs no longer count as changed by hand.
    await this.#engine.mirroredFolder(await this.#engine.open(id));
    return taken;
  }

  async indexChanges(
    of: Snapshot,
    tips: readonly Oid[],
    signal: AbortSignal,
  ): Promise<'complete' | 'more' | 'full'> {
    const { id, objectFormat: format } = of;
    const folder = await this.#engine.createdFolder(id, format);
    const locate = async () => ({ gitDir: (await this.#engine.completeFolder(id, format)).path });
    const objects = { direct: { reader: of.objects, path: folder.path }, locate };
    return this.#engine.changes.build({ id, format, folder }, objects, tips, signal);
  }
}
