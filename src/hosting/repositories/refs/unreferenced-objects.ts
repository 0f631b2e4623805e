import { Allowance } from '../../../base/core/fairness/allowance.ts';
import { FairSlots } from '../../../base/core/fairness/fair-slots.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import { LOST_RACE, untilNoRaceIsLost } from './lost-races.ts';
import type { ObjectsWriter } from './pushed-rows.ts';
import type { Pushes } from './pushes.ts';

/** New objects that a call of the API asks for, without a ref. */
export interface ObjectsWrite<T> extends ObjectsWriter {
  /** Writes the objects into the session. Runs again if a prune has deleted objects meanwhile. */
  build(session: WriteSession): Promise<T>;
}

interface Dependencies {
  readonly git: Pick<GitStorage, 'writes'>;
  readonly pushes: Pushes;
}

/** Writes objects that no ref reaches yet, as steps towards a commit. */
export class UnreferencedObjects {
  readonly #use: Dependencies;
  readonly #slots = new FairSlots({
    what: 'requests that write git objects',
    unitsMax: REPOSITORY_LIMITS.objectWritesAtOnceMax,
    unitsPerCallerMax: REPOSITORY_LIMITS.objectWritesPerCallerMax,
    unitsForSignedIn: 0,
    queueMax: REPOSITORY_LIMITS.objectWriteQueueMax,
    queuePerCallerMax: REPOSITORY_LIMITS.objectWriteQueuePerCallerMax,
    waitMs: REPOSITORY_LIMITS.objectWriteQueueWaitMs,
  });
  /** No ref limits what a caller writes, and the objects stay until a prune. */
  readonly #allowance = new Allowance({
    what: 'new objects without a ref',
    unitsMax: REPOSITORY_LIMITS.unreferencedObjectsPerPeriodMax,
    periodMs: REPOSITORY_LIMITS.unreferencedObjectsPeriodMs,
    callersRememberedMax: REPOSITORY_LIMITS.objectWritersRememberedMax,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Pushes.store`; `busy` at a limit, or if objects keep being deleted; any error of `build` */
  store<T>({ build, ...writer }: ObjectsWrite<T>): Promise<T> {
    const busy = 'unused objects of this repository are being deleted: try again';
    return this.#slots.run(() =>
      untilNoRaceIsLost(busy, async () => {
        await using session = await this.#use.git.writes.begin(writer.repository.id);
        const result = await build(session);
        this.#allowance.spend(
          1 + Math.floor(session.writtenBytes / REPOSITORY_LIMITS.unreferencedObjectUnitBytes),
        );
        return (await this.#use.pushes.store(session, writer)) ? result : LOST_RACE;
      }),
    );
  }
}
