import type { Database } from '../../base/database/database.ts';
import type { ObjectStorage } from '../../storage/model.ts';
import { digitsInTurn, removeStrays, type StraySweep } from '../../storage/strays.ts';
import { listKnownObjects } from './store/objects.ts';
import { listKnownUploads } from './store/uploads.ts';

interface Dependencies {
  readonly database: Database;
  readonly objects: ObjectStorage;
}

/** Deletes bytes of large files without a row. */
export class StrayBytes {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Checks all parts of unfinished uploads, and the objects whose turn it is. */
  async remove(sweep: StraySweep): Promise<void> {
    await removeStrays(this.#use.objects, sweep, {
      prefix: 'lfs-parts/',
      idOf: uploadOf,
      listKnown: (ids) => listKnownUploads(this.#use.database.reader, ids),
    });
    await this.removeObjects(sweep, digitsInTurn(sweep));
  }

  /** @param digits first two digits of the ids of the objects to check */
  removeObjects(sweep: StraySweep, digits: string): Promise<void> {
    return removeStrays(this.#use.objects, sweep, {
      prefix: `lfs/${digits}/`,
      idOf: objectOf,
      listKnown: (ids) => listKnownObjects(this.#use.database.reader, ids),
    });
  }
}

/** `lfs-parts/ID/OFFSET` */
function uploadOf(key: string): number {
  return Number(key.split('/')[1]);
}

/** `lfs/ab/cd/REST.ID` */
function objectOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('.') + 1));
}
