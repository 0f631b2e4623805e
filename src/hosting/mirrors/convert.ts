import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import type { Database } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { REPOSITORY_CHANGED } from '../repositories/events.ts';
import type { PermittedRepository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { MIRROR } from './actions.ts';
import type { MirrorRecords } from './mirror-records.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly mirrorRecords: MirrorRecords;
}

/** Makes mirrors usual repositories, which take pushes and follow no source. */
export class MirrorConversion {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Converts a mirror, and deletes the credentials of its source. An update at the moment moves no ref afterwards.
   *
   * @throws ForgeError as `Repositories.get`; `invalid` for a repository that is not a mirror
   */
  async convert(viewer: SignedIn, path: RepositoryPath): Promise<PermittedRepository> {
    const { database, repositories, mirrorRecords } = this.#use;
    const { id } = (await repositories.get(viewer, path, MIRROR.convert)).repository;
    await database.transaction(async (tx) => {
      // Locks the row of the mirror before the row of the repository, as an update does.
      const wasMirror = await mirrorRecords.end(tx, id);
      await repositories.lock(tx, viewer, id, MIRROR.convert);
      if (!wasMirror) throw invalid('this repository is not a pull mirror');
      const about = { actorId: viewer.accountId, repositoryId: id };
      await insertEvent(tx, REPOSITORY_CHANGED, { ...about, payload: { changed: ['mirror'] } });
    });
    const converted = await repositories.find(database.reader, viewer, id);
    if (converted === undefined) throw notFound('repository');
    return converted;
  }
}
