import { whyNotByCredential } from '../../api/access/guard.ts';
import { permissionsOf } from '../../api/access/packing.ts';
import { reachesRank } from '../../api/access/standing.ts';
import { overridesRights, type SignedIn, type Viewer } from '../../api/access/viewer.ts';
import { recordAudit } from '../../base/audit/store.ts';
import {
  conflict,
  ForgeError,
  forbidden,
  invalid,
  isFailure,
  MovedError,
  notFound,
} from '../../base/core/failure.ts';
import { type Database, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { lockVisibility, requireNotBlocked } from '../../people/accounts/locks.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { NewBlock } from '../../people/blocks/model.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import type { Team } from '../../people/teams/model.ts';
import type { Teams } from '../../people/teams/service.ts';
import type { Quota } from '../quota/service.ts';
import { kindsOfContent } from '../quota/subjects.ts';
import { ACCOUNT_REPOSITORIES, ORGANIZATION_REPOSITORIES, REPOSITORY } from '../repositories/actions.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { changeOwner, setInTransfer } from '../repositories/writes.ts';
import { TRANSFER } from './actions.ts';
import { REPOSITORY_TRANSFER_ASKED, REPOSITORY_TRANSFER_ENDED, REPOSITORY_TRANSFERRED } from './events.ts';
import type { TransferOptions, TransferRequest } from './model.ts';
import {
  deleteTransfer,
  hasTransfer,
  insertTransfer,
  listTransfersBetween,
  listTransfersOf,
} from './store.ts';

/** A transfer that takes effect. */
interface Move {
  readonly repository: Repository;
  readonly recipient: Pick<PublicAccount, 'id' | 'name'>;
  /** teams of the recipient that get the repository */
  readonly teams: readonly Team[];
  readonly actorId: number;
}

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly teams: Teams;
  readonly repositories: Repositories;
  readonly quota: Quota;
}

/** Transfers repositories: at once if the viewer may create repositories for the new owner, otherwise on acceptance. */
export class RepositoryTransfers {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Starts a transfer. It takes effect at once if the viewer could create the repository for the new owner: for
   * themselves, for an organization in which they may create repositories, or, as a site administrator, for any
   * account. Otherwise the new owner must accept it. A transfer out of an organization by a viewer who is not one of
   * its owners waits for one of them.
   *
   * @throws ForgeError as `Repositories.get`; `not_found` if the viewer does not see the new owner; `invalid` for teams
   *   that are not the new owner's; `forbidden` if one of the owners has blocked the other; `already_exists` if the new owner has a repository of this name; `conflict` if a
   *   transfer is pending
   */
  async start(
    viewer: SignedIn,
    path: RepositoryPath,
    options: TransferOptions,
  ): Promise<PermittedRepository> {
    const permitted = await this.#use.repositories.get(viewer, path, TRANSFER.transfer);
    const { id, name } = permitted.repository;
    const recipient = await this.#recipient(viewer, options.newOwner);
    await this.#requireNoVisibleClash(viewer, { owner: recipient.name, name });
    const owner = await this.#use.database
      .transaction(async (tx) => {
        await lockVisibility(tx, 'to change it');
        // The repository may have a new owner by now, who did not start this transfer.
        const { repository } = await this.#use.repositories.lock(tx, viewer, id, TRANSFER.transfer);
        await requireNoBlock(tx, viewer, { repository, recipient });
        const teams = await this.#readTeams(tx, viewer, recipient, options.teamIds);
        const move = { repository, recipient, teams, actorId: viewer.accountId };
        const waitsForOwner = !(await this.#mayGiveAway(tx, viewer, repository));
        const isAtOnce = !waitsForOwner && (await this.#reasonAgainst(tx, viewer, recipient)) === undefined;
        await (isAtOnce ? this.#move(tx, move) : startPending(tx, { ...move, waitsForOwner }));
        return isAtOnce ? recipient : repository.owner;
      })
      .catch((error) => rethrowClash(error, recipient.name));
    return this.#afterTransfer(viewer, permitted, owner);
  }

  /**
   * Accepts a transfer to the viewer, or to an organization in which the viewer may create repositories. A transfer
   * that waits for an owner of the organization is accepted by such an owner first. It takes effect then if its sender
   * asked for the repository, or if the owner could create it for the new owner; otherwise the new owner must accept
   * it.
   *
   * @throws ForgeError as `Repositories.get`; `not_found` if no transfer is pending or the viewer may not see it;
   *   `forbidden`; `already_exists` if the new owner has a repository of this name
   */
  async accept(viewer: SignedIn, path: RepositoryPath): Promise<PermittedRepository> {
    const { permitted, recipient } = await this.#getPending(viewer, path);
    const owner = await this.#use.database
      .transaction(async (tx) => {
        await lockVisibility(tx, 'to change it');
        const { repository, request } = await this.#end(tx, viewer, permitted, recipient);
        const { teamIds, waitsForOwner, senderId } = request;
        if (waitsForOwner && !(await this.#mayGiveAway(tx, viewer, repository)))
          throw forbidden(`an owner of ${repository.owner.name} must accept this transfer first`);
        const reason = await this.#reasonAgainst(tx, viewer, recipient);
        const isAgreed = reason === undefined || (waitsForOwner && senderId === recipient.id);
        const teams = await this.#use.teams.repositories.listById(tx, recipient.id, teamIds);
        const move = { repository, recipient, teams, actorId: viewer.accountId };
        if (isAgreed) {
          await this.#move(tx, move);
          return recipient;
        }
        if (!waitsForOwner) throw forbidden(reason);
        await startPending(tx, { ...move, actorId: senderId, waitsForOwner: false });
        return repository.owner;
      })
      .catch((error) => rethrowClash(error, recipient.name));
    return this.#afterTransfer(viewer, permitted, owner);
  }

  /**
   * Ends a pending transfer, for the recipient or for the owner of the repository.
   *
   * @throws ForgeError as `Repositories.get`; `not_found` if no transfer is pending or the viewer may not see it
   */
  async reject(viewer: SignedIn, path: RepositoryPath): Promise<PermittedRepository> {
    const { permitted, recipient } = await this.#getPending(viewer, path);
    const { id, owner } = permitted.repository;
    await this.#use.database.transaction(async (tx) => {
      await this.#end(tx, viewer, permitted, recipient);
      await announceEnd(tx, id, viewer.accountId);
    });
    return this.#afterTransfer(viewer, permitted, owner);
  }

  /** Ends the pending transfers of an account that is about to be deleted, as sender and as recipient. */
  async endAllOf(tx: Tx, account: { id: number }, actorId: number | null): Promise<void> {
    for (const id of await listTransfersOf(tx, account.id)) {
      if ((await endPending(tx, id)) !== undefined) await announceEnd(tx, id, actorId);
    }
  }

  /** Ends the pending transfers between two accounts of which one has blocked the other. */
  async endBetween(tx: Tx, { blockerId, accountId, actorId }: NewBlock): Promise<void> {
    for (const id of await listTransfersBetween(tx, { blockerId, accountId }))
      if ((await endPending(tx, id)) !== undefined) await announceEnd(tx, id, actorId);
  }

  /** @throws ForgeError `not_found` if another request has answered it, or the viewer may no longer see it */
  async #end(
    tx: Tx,
    viewer: Viewer,
    { repository: { id } }: PermittedRepository,
    recipient: PublicAccount,
  ): Promise<{ repository: Repository; request: TransferRequest }> {
    const { repository, transfer } = await this.#use.repositories.lock(
      tx,
      viewer,
      id,
      TRANSFER.answerTransfer,
    );
    const request = transfer?.recipient.id === recipient.id ? await endPending(tx, id) : undefined;
    if (request === undefined) throw notFound('transfer');
    return { repository, request };
  }

  /** @throws ForgeError as `Repositories.get`; `not_found` unless the viewer owns the repository or is the recipient */
  async #getPending(
    viewer: Viewer,
    path: RepositoryPath,
  ): Promise<{ permitted: PermittedRepository; recipient: PublicAccount }> {
    const permitted = await this.#use.repositories.get(viewer, path, TRANSFER.answerTransfer);
    if (permitted.transfer === null) throw notFound('transfer');
    return { permitted, recipient: permitted.transfer.recipient };
  }

  async #recipient(viewer: Viewer, name: string): Promise<PublicAccount> {
    try {
      return await this.#use.accounts.getByName(viewer, name);
    } catch (error) {
      // The body names the account, so a redirect to its new name is not possible.
      throw error instanceof MovedError ? notFound('account') : error;
    }
  }

  /**
   * Rejects a transfer if the viewer sees that the new owner has a repository of this name. A hidden one causes an
   * error only when the transfer takes effect.
   *
   * @throws ForgeError `already_exists`
   */
  async #requireNoVisibleClash(viewer: Viewer, path: RepositoryPath): Promise<void> {
    if (await this.#use.repositories.isSeen(viewer, path)) throw nameTaken(path.owner);
  }

  /** @throws ForgeError `invalid`, the same for a team that is missing, of another owner, or hidden from the viewer */
  async #readTeams(
    tx: Tx,
    viewer: Viewer,
    recipient: PublicAccount,
    ids: readonly number[],
  ): Promise<readonly Team[]> {
    if (ids.length === 0) return [];
    if (recipient.kind !== 'organization')
      throw invalid('Teams can only be added to organization-owned repositories');
    const standing = await this.#use.organizations.readStanding(tx, viewer, recipient.id);
    const isMember = standing !== undefined && reachesRank(standing, 'member');
    const teams = isMember ? await this.#use.teams.repositories.listById(tx, recipient.id, ids) : [];
    const unknown = ids.find((id) => !teams.some((team) => team.id === id));
    if (unknown !== undefined) throw invalid(`${recipient.name} has no team ${unknown}`);
    return teams;
  }

  /** Whether the viewer decides for the present owner, and not only as an administrator of a team. */
  async #mayGiveAway(tx: Tx, viewer: Viewer, { owner }: Repository): Promise<boolean> {
    return owner.kind !== 'organization' || this.#use.organizations.isOwnedBy(tx, viewer, owner.id);
  }

  /** Returns why the viewer may not accept a transfer for `recipient`; undefined if they may. */
  async #reasonAgainst(
    tx: Tx,
    viewer: Viewer,
    recipient: Pick<PublicAccount, 'id' | 'kind'>,
  ): Promise<string | undefined> {
    const isOrganization = recipient.kind === 'organization';
    // Accepting has the same effect as creating the repository for the recipient, so it needs the same scopes.
    const action = isOrganization
      ? ORGANIZATION_REPOSITORIES.createRepository
      : ACCOUNT_REPOSITORIES.createRepository;
    const reason = whyNotByCredential(viewer, action);
    if (reason !== undefined) return reason;
    if (overridesRights(viewer)) return undefined;
    if (!isOrganization) {
      return recipient.id === viewer.accountId ? undefined : 'only the recipient may accept the transfer';
    }
    const standing = await this.#use.organizations.readStanding(tx, viewer, recipient.id);
    if (standing?.mayCreateRepositories === true) return undefined;
    return 'you may not create repositories in the organization that receives the transfer';
  }

  async #move(tx: Tx, { repository, recipient, teams, actorId }: Move): Promise<void> {
    const { id, owner } = repository;
    const owners = { fromId: owner.id, toId: recipient.id };
    const name = await changeOwner(tx, id, owners);
    if (owner.id !== recipient.id)
      await this.#use.quota.requireAllWithin(tx, recipient.id, kindsOfContent(repository));
    // A transfer may have become pending while this one waited for the row.
    if (await hasTransfer(tx, id)) throw alreadyPending();
    await this.#use.teams.repositories.moveTo(tx, id, { fromOwnerId: owner.id, teams, actorId });
    await this.#use.repositories.settings.tightenForks(tx, { repositoryId: id }, { actorId });
    const payload = { from: `${owner.name}/${name}`, to: `${recipient.name}/${name}`, ...owners };
    // The entry of the event belongs to the new owner.
    if (owner.id !== recipient.id)
      await recordAudit(tx, {
        action: 'repository.transferred-away',
        actorId,
        actorKind: actorId === null ? 'system' : 'user',
        target: { kind: 'repository', id, name: payload.from },
        ownerId: owner.id,
        repositoryId: id,
        repositoryName: payload.from,
        details: payload,
      });
    await insertEvent(tx, REPOSITORY_TRANSFERRED, { actorId, repositoryId: id, payload });
  }

  /** Returns the repository after a transfer. If the viewer has lost all access by it, every level is `none`. */
  async #afterTransfer(
    viewer: Viewer,
    before: PermittedRepository,
    owner: PublicAccount,
  ): Promise<PermittedRepository> {
    const { repository } = before;
    try {
      return await this.#use.repositories.getById(viewer, repository.id, REPOSITORY.read);
    } catch (error) {
      if (!isFailure(error, 'not_found')) throw error;
      return {
        ...before,
        ...permissionsOf(0),
        repository: { ...repository, owner, isInTransfer: false },
        transfer: null,
      };
    }
  }
}

/** @throws ForgeError `forbidden` */
async function requireNoBlock(
  tx: Tx,
  viewer: SignedIn,
  { repository: { owner }, recipient }: Pick<Move, 'repository' | 'recipient'>,
): Promise<void> {
  if (overridesRights(viewer)) return;
  const why = 'you may not transfer a repository to this account';
  for (const accountId of new Set([owner.id, viewer.accountId]))
    await requireNotBlocked(tx, { blockerId: recipient.id, accountId }, why);
  await requireNotBlocked(tx, { blockerId: owner.id, accountId: recipient.id }, why);
}

async function startPending(
  tx: Tx,
  { repository, recipient, teams, actorId, waitsForOwner }: Move & { readonly waitsForOwner: boolean },
): Promise<void> {
  const { id } = repository;
  // First, so that concurrent transfers and answers wait for the same row.
  if (!(await setInTransfer(tx, id, true))) throw notFound('repository');
  const teamIds = teams.map((team) => team.id);
  const request = { repositoryId: id, senderId: actorId, recipientId: recipient.id, teamIds, waitsForOwner };
  if (!(await insertTransfer(tx, request))) throw alreadyPending();
  await insertEvent(tx, REPOSITORY_TRANSFER_ASKED, {
    actorId,
    repositoryId: id,
    payload: { recipientId: recipient.id },
  });
}

/** Ends the pending state. @returns the transfer; undefined if none is pending */
async function endPending(tx: Tx, id: RepositoryId): Promise<TransferRequest | undefined> {
  return (await setInTransfer(tx, id, false)) ? deleteTransfer(tx, id) : undefined;
}

async function announceEnd(tx: Tx, id: RepositoryId, actorId: number | null): Promise<void> {
  await insertEvent(tx, REPOSITORY_TRANSFER_ENDED, { actorId, repositoryId: id, payload: {} });
}

function alreadyPending(): ForgeError {
  const what = 'a transfer of this repository is pending: reject it first';
  return conflict(what);
}

function nameTaken(owner: string, cause?: unknown): ForgeError {
  return new ForgeError(
    { kind: 'already_exists', what: `${owner} already has a repository of this name` },
    { cause },
  );
}

function rethrowClash(error: unknown, recipient: string): never {
  if (isUniqueViolation(error)) throw nameTaken(recipient, error);
  return rethrowGone('account')(error);
}
