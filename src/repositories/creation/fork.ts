import type { SignedIn } from '../../access/viewer.ts';
import type { PublicAccount } from '../../accounts/model.ts';
import { ForgeError } from '../../core/failure.ts';
import type { Tx } from '../../database/database.ts';
import type { RepositoryId } from '../../git/model.ts';
import type { NewRepository, Repository } from '../model.ts';

/** Who forks what, and for whom. */
export interface ForkRequest {
  readonly viewer: SignedIn;
  readonly owner: PublicAccount;
  readonly parentId: RepositoryId;
  /** null: as the parent is called */
  readonly name: string | null;
  /** Reads the parent, keeps it as it is until the transaction ends, and authorizes the viewer anew. */
  readonly lockParent: (tx: Tx) => Promise<Repository>;
}

/** What a fork takes over from its parent. Its website, topics and settings are its own. */
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

type Visible = Pick<PublicAccount, 'id' | 'visibility'>;

/** Whether what is public of one account would be shown to somebody new as something public of another one. */
export function wouldBeSeenByMore(from: Visible, to: Visible): boolean {
  // Each private account has people of its own.
  if (from.visibility === 'private') return from.id !== to.id;
  return from.visibility === 'limited' && to.visibility === 'public';
}

export function forkedAlready(parent: Repository, owner: PublicAccount): ForgeError {
  const what = `${owner.name} has a fork of ${parent.owner.name}/${parent.name} already`;
  return new ForgeError({ kind: 'conflict', what });
}
