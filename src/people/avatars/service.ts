import type { SignedIn } from '../../api/access/viewer.ts';
import { forbidden } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockOrganizationAccount, lockUserAccount } from '../accounts/changes.ts';
import { ACCOUNT_CHANGED } from '../accounts/events.ts';
import type { Accounts } from '../accounts/service.ts';
import { setAvatar } from '../accounts/writes.ts';
import { ORGANIZATION_CHANGED } from '../organizations/events.ts';
import type { Organizations } from '../organizations/service.ts';
import { AVATAR } from './actions.ts';
import type { AvatarFiles } from './files.ts';
import type { AvatarChange } from './model.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly avatarFiles: AvatarFiles;
}

/** Changes the pictures of users and organizations. */
export class Avatars {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Accounts.getOwnUser` and `AvatarFiles.set` */
  async setOwn(viewer: SignedIn, image: string): Promise<void> {
    await this.#use.avatarFiles.set(image, await this.#own(viewer));
  }

  /** @throws ForgeError as `Accounts.getOwnUser` */
  async removeOwn(viewer: SignedIn): Promise<void> {
    await this.#use.avatarFiles.remove(await this.#own(viewer));
  }

  /** @throws ForgeError as `Organizations.get` and `AvatarFiles.set` */
  async setOf(viewer: SignedIn, name: string, image: string): Promise<void> {
    await this.#use.avatarFiles.set(image, await this.#of(viewer, name));
  }

  /** @throws ForgeError as `Organizations.get` */
  async removeOf(viewer: SignedIn, name: string): Promise<void> {
    await this.#use.avatarFiles.remove(await this.#of(viewer, name));
  }

  async #own(viewer: SignedIn): Promise<AvatarChange> {
    const { id: accountId } = await this.#use.accounts.getOwnUser(viewer);
    const payload = { accountId, changed: ['avatar'] };
    return {
      subject: { accountId },
      authorize: async (tx) => (await lockUserAccount(tx, accountId)).avatar,
      write: async (tx, avatar) => {
        await setAvatar(tx, accountId, avatar);
        await insertEvent(tx, ACCOUNT_CHANGED, { actorId: viewer.accountId, repositoryId: null, payload });
      },
    };
  }

  async #of(viewer: SignedIn, name: string): Promise<AvatarChange> {
    const { organization } = await this.#use.organizations.get(viewer, name, AVATAR.changeOf);
    const { id: organizationId } = organization;
    const payload = { organizationId, changed: ['avatar'] };
    return {
      subject: { accountId: organizationId },
      authorize: async (tx: Tx) => {
        const { avatar } = await lockOrganizationAccount(tx, organizationId);
        if (!(await this.#use.organizations.isOwnedBy(tx, viewer, organizationId)))
          throw forbidden('only owners of the organization may do this');
        return avatar;
      },
      write: async (tx, avatar) => {
        await setAvatar(tx, organizationId, avatar);
        await insertEvent(tx, ORGANIZATION_CHANGED, {
          actorId: viewer.accountId,
          repositoryId: null,
          payload,
        });
      },
    };
  }
}
