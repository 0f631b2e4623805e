import type { SignedIn } from '../../../api/access/viewer.ts';
import { conflict, type ForgeError } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import type { NewRepository, Repository } from '../model.ts';

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
  { name, isPrivate }: { name: string | null; isPrivate: boolean },
): NewRepository & { readonly isPrivate: boolean } {
  return {
    name: name ?? parent.name,
    description: parent.description,
    isPrivate,
    isTemplate: false,
    defaultBranch: parent.defaultBranch,
    objectFormat: parent.objectFormat,
    trustModel: 'default',
  };
}

export function forkedAlready(parent: Repository, owner: PublicAccount): ForgeError {
  const what = `${owner.name} has a fork of ${parent.owner.name}/${parent.name} already`;
  return conflict(what);
}
