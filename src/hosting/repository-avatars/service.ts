import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Database } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { AvatarFiles } from '../../people/avatars/files.ts';
import type { AvatarChange, AvatarFile } from '../../people/avatars/model.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import { REPOSITORY_CHANGED } from '../repositories/events.ts';
import type { RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { setRepositoryAvatar } from '../repositories/writes.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly avatarFiles: AvatarFiles;
}

/** Pictures of repositories. */
export class RepositoryAvatars {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` and `AvatarFiles.set` */
  async set(viewer: SignedIn, path: RepositoryPath, image: string): Promise<void> {
    await this.#use.avatarFiles.set(image, await this.#of(viewer, path));
  }

  /** @throws ForgeError as `Repositories.get` */
  async remove(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    await this.#use.avatarFiles.remove(await this.#of(viewer, path));
  }

  /** @throws ForgeError `not_found` unless it is the present picture of a repository that the viewer may see */
  async find(
    viewer: Viewer,
    name: string,
  ): Promise<{ readonly file: AvatarFile; readonly isPublic: boolean }> {
    const found = await this.#use.avatarFiles.findOfRepository(name);
    const { reader } = this.#use.database;
    const permitted = await this.#use.repositories.find(reader, viewer, found.repositoryId);
    if (permitted === undefined) throw notFound('avatar');
    const { isPrivate, owner } = permitted.repository;
    return { file: found, isPublic: !isPrivate && owner.visibility === 'public' };
  }

  async #of(viewer: SignedIn, path: RepositoryPath): Promise<AvatarChange> {
    const { repositories } = this.#use;
    const { id: repositoryId } = (await repositories.get(viewer, path, REPOSITORY.edit)).repository;
    return {
      subject: { repositoryId },
      authorize: async (tx) =>
        (await repositories.lock(tx, viewer, repositoryId, REPOSITORY.edit)).repository.avatar,
      write: async (tx, avatar) => {
        await setRepositoryAvatar(tx, repositoryId, avatar);
        const payload = { changed: ['avatar'] };
        await insertEvent(tx, REPOSITORY_CHANGED, { actorId: viewer.accountId, repositoryId, payload });
      },
    };
  }
}
