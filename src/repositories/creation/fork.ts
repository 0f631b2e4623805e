import type { SignedIn } from '../../access/viewer.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import { ForgeError } from '../../core/failure.ts';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { NewRepository, Repository } from '../model.ts';
import { wouldBeSeenByMore } from '../visibility.ts';

/** A request to fork a repository for an owner. */
export interface ForkRequest {
  readonly viewer: SignedIn;
  readonly owner: PublicAccount;
  readonly parentId: RepositoryId;
  /** null: the name of the parent */
  readonly name: string | null;
  /** Locks the parent until the transaction ends, reads it and authorizes the viewer again. */
  readonly lockParent: (tx: Tx) => Promise<Repository>;
}

/** Returns the fields that a fork takes from its parent. It gets neither website, topics nor settings. */
export function newFork(
  parent: Repository,
  { owner, name }: Pick<ForkRequest, 'owner' | 'name'>,
): NewRepository & { readonly isPrivate: boolean } {
  return {
    name: name ?? parent.name,
    description: parent.description,
    isPrivate: parent.isPrivate || wouldBeSeenByMore(parent.owner, owner),
    isTemplate: false,
    defaultBranch: parent.defaultBranch,
    objectFormat: parent.objectFormat,
    trustModel: 'default',
  };
}

export function forkedAlready(parent: Repository, owner: PublicAccount): ForgeError {
  const what = `${owner.name} has a fork of ${parent.owner.name}/${parent.name} already`;
  return new ForgeError({ kind: 'conflict', what });
}
