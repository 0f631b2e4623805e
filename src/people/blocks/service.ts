import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { Signal } from '../../base/core/signal.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { insertEvent } from '../../base/events/store.ts';
import { lockInOrder, lockUser, lockVisibility } from '../accounts/locks.ts';
import type { Account, PublicAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { findVisibleAccounts } from '../accounts/visible.ts';
import type { Organizations } from '../organizations/service.ts';
import { BLOCK } from './actions.ts';
import {
  ACCOUNT_BLOCKED,
  ACCOUNT_UNBLOCKED,
  ORGANIZATION_BLOCKED,
  ORGANIZATION_UNBLOCKED,
} from './events.ts';
import { BLOCK_LIMITS } from './limits.ts';
import type { BlockedUser, NewBlock } from './model.ts';
import { countBlocks, deleteBlock, insertBlock, listBlocks } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
}

/** A user or an organization that blocks. */
interface Blocker {
  readonly id: number;
  readonly kind: Account['kind'];
}

/**
 * Users and organizations block users, who may then change nothing in their repositories. A block has no effect on site
 * administrators as such. Ending it restores nothing.
 */
export class Blocks {
  /** after a block was set; both accounts are locked */
  readonly set = new Signal<[tx: Tx, block: NewBlock]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Accounts.getOwnUser` */
  async list(viewer: SignedIn, paging: Paging): Promise<Page<BlockedUser>> {
    const { id } = await this.#use.accounts.getOwnUser(viewer);
    return listBlocks(this.#use.database.reader, id, paging);
  }

  /** As `list`, with the accounts that the viewer may see. */
  async listAccounts(
    viewer: SignedIn,
    paging: Paging,
  ): Promise<Page<BlockedUser & { readonly account: PublicAccount | null }>> {
    const { items, total } = await this.list(viewer, paging);
    const ids = items.map(({ accountId }) => accountId);
    const accounts = await findVisibleAccounts(this.#use.database.reader, viewer, ids);
    return {
      items: items.map((each) => ({ ...each, account: accounts.get(each.accountId) ?? null })),
      total,
    };
  }

  /** @throws ForgeError as `Organizations.get` */
  async listOf(viewer: SignedIn, name: string, paging: Paging): Promise<Page<BlockedUser>> {
    const { organization } = await this.#use.organizations.get(viewer, name, BLOCK.readOf);
    return listBlocks(this.#use.database.reader, organization.id, paging);
  }

  /**
   * Makes the viewer block a user. Does nothing if the viewer has blocked the user already.
   *
   * @throws ForgeError as `Accounts.getOwnUser` and `Accounts.getByName`; `invalid` for oneself, an organization, and too
   *   many
   */
  async add(viewer: SignedIn, userName: string): Promise<void> {
    await this.#add(viewer, await this.#use.accounts.getOwnUser(viewer), userName);
  }

  /** @throws ForgeError as `add` */
  async remove(viewer: SignedIn, userName: string): Promise<void> {
    await this.#remove(viewer, await this.#use.accounts.getOwnUser(viewer), userName);
  }

  /**
   * Makes an organization block a user.
   *
   * @throws ForgeError as `Organizations.get` and `add`; `invalid` for a member of the organization
   */
  async addOf(viewer: SignedIn, name: string, userName: string): Promise<void> {
    const { organization } = await this.#use.organizations.get(viewer, name, BLOCK.changeOf);
    await this.#add(viewer, organization, userName);
  }

  /** @throws ForgeError as `addOf` */
  async removeOf(viewer: SignedIn, name: string, userName: string): Promise<void> {
    const { organization } = await this.#use.organizations.get(viewer, name, BLOCK.changeOf);
    await this.#remove(viewer, organization, userName);
  }

  async #add(viewer: SignedIn, blocker: Blocker, userName: string): Promise<void> {
    const { id: accountId } = await this.#getUser(viewer, userName);
    if (accountId === blocker.id) throw invalid('you cannot block yourself');
    const block = { blockerId: blocker.id, accountId, actorId: viewer.accountId };
    await this.#use.database
      .transaction(async (tx) => {
        // Transfers of repositories hold it, too: none begins until the block is set.
        await lockVisibility(tx, 'to change it');
        if (blocker.kind === 'organization') await this.#requireNoMember(tx, blocker.id, accountId);
        await lockInOrder(tx, [blocker.id, accountId]);
        await lockUser(tx, accountId);
        if (!(await insertBlock(tx, block))) return;
        if ((await countBlocks(tx, blocker.id)) > BLOCK_LIMITS.blockedPerAccountMax)
          throw invalid(`an account can block at most ${BLOCK_LIMITS.blockedPerAccountMax} users`);
        await this.set.notify(tx, block);
        await announce(tx, viewer, blocker, { blockedId: accountId, isBlocked: true });
      })
      .catch(rethrowGone('account'));
  }

  async #remove(viewer: SignedIn, blocker: Blocker, userName: string): Promise<void> {
    const { id: accountId } = await this.#getUser(viewer, userName);
    await this.#use.database.transaction(async (tx) => {
      if (!(await deleteBlock(tx, { blockerId: blocker.id, accountId }))) return;
      await announce(tx, viewer, blocker, { blockedId: accountId, isBlocked: false });
    });
  }

  /** @throws ForgeError as `Accounts.getByName`, and `invalid` for an organization */
  async #getUser(viewer: Viewer, name: string): Promise<Account> {
    const account = await this.#use.accounts.getByName(viewer, name);
    if (account.kind !== 'user')
      throw invalid(`${account.name} is an organization: only users can be blocked`);
    return account;
  }

  /** Locks the organization against new members. @throws ForgeError `invalid` */
  async #requireNoMember(tx: Tx, organizationId: number, accountId: number): Promise<void> {
    const { members } = this.#use.organizations;
    await members.lock(tx, organizationId);
    if (await members.isMember(tx, organizationId, accountId))
      throw invalid('the user is a member of the organization: remove the user from it first');
  }
}

async function announce(
  tx: Tx,
  viewer: SignedIn,
  blocker: Blocker,
  { blockedId, isBlocked }: { readonly blockedId: number; readonly isBlocked: boolean },
): Promise<void> {
  const by = { actorId: viewer.accountId, repositoryId: null };
  if (blocker.kind === 'organization') {
    const payload = { organizationId: blocker.id, blockedId };
    await insertEvent(tx, isBlocked ? ORGANIZATION_BLOCKED : ORGANIZATION_UNBLOCKED, { ...by, payload });
  } else {
    const payload = { accountId: blocker.id, blockedId };
    await insertEvent(tx, isBlocked ? ACCOUNT_BLOCKED : ACCOUNT_UNBLOCKED, { ...by, payload });
  }
}
